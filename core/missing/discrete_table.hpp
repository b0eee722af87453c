// A completed table of categorical columns, for BDeu.
//
// The parameters are integrated out. Given the other rows, the levels of one row have the probability
//
//   Π_y (N_jb + a / (q r)) / (N_j + a / q),
//
// with r the levels of y, q the configurations of its parents, a the equivalent sample size, and N_jb the number of
// other rows with this level b and this configuration j. The missing levels of a row are drawn from that, one row after
// another: jointly where their combinations are few, otherwise in groups of few combinations, each given the others.
#pragma once
#include "base/hash.hpp"
#include "missing/completed_table.hpp"
#include "scores/discrete.hpp"
#include <unordered_map>

namespace czz {

class DiscreteTable final : public CompletedTable {
    static constexpr u64 kMostCombinations = 16;        // of a group, if it has more than one hole
    static constexpr u64 kMostCounters = u64(1) << 14;  // of a family; above, counters are hashed

    std::size_t rows_;
    std::vector<int> levels_;
    std::vector<u16> codes_;  // by column
    double sample_size_;
    std::vector<IncompleteRow> incomplete_;

  public:
    DiscreteTable(std::vector<int> levels, std::size_t rows, const u16* table, std::vector<Hole> holes,
                  double sample_size, Rng rng)
        : CompletedTable(std::move(holes), rng), rows_(rows), levels_(std::move(levels)),
          codes_(table, table + levels_.size() * rows), sample_size_(sample_size), incomplete_(incomplete_rows()),
          families_(levels_.size()), children_(levels_.size()), stamp_(levels_.size()), place_(levels_.size(), -1) {
        const std::vector<u32> donors = random_donors(int(levels_.size()), rows_);
        for (std::size_t i = 0; i < holes_.size(); ++i) code(holes_[i]) = codes(holes_[i].node)[donors[i]];
    }

    void draw(const Parents& parents) override {
        count(parents);
        for (const IncompleteRow& r : incomplete_) {
            add(r, -1);
            for (std::size_t first = r.first; first < r.last;) {
                const std::size_t last = group_end(first, r.last);
                weigh(first, last);
                set_group(first, last, draw_by_log_weight(rng_, log_weight_));
                first = last;
            }
            add(r, +1);
        }
    }
    // The log weights, up to a constant, of the combinations of missing levels in each group of an incomplete row,
    // given the present levels of the other groups. The level of the first hole changes fastest.
    std::vector<std::vector<double>> group_weights(const Parents& parents, std::size_t incomplete_row) {
        count(parents);
        const IncompleteRow& r = incomplete_[incomplete_row];
        add(r, -1);
        std::vector<std::vector<double>> out;
        for (std::size_t first = r.first; first < r.last; first = group_end(first, r.last)) {
            weigh(first, group_end(first, r.last));
            out.push_back(log_weight_);
        }
        return out;
    }

    std::shared_ptr<const Score> score() const override {
        return std::make_shared<Discrete>(levels_, rows_, codes_.data(), std::vector<int>{}, sample_size_, 0.0);
    }
    std::vector<double> cells() const override {
        std::vector<double> out;
        for (const Hole& h : holes_) out.push_back(codes(h.node)[h.row]);
        return out;
    }
    bool fits(const std::vector<double>& cells) const override {
        for (std::size_t i = 0; i < cells.size(); ++i)
            if (!is_code(cells[i], levels_[std::size_t(holes_[i].node)])) return false;
        return true;
    }
    void set_cells(const std::vector<double>& cells) override {
        for (std::size_t i = 0; i < cells.size(); ++i) code(holes_[i]) = u16(cells[i]);
    }

  private:
    const u16* codes(int v) const { return &codes_[std::size_t(v) * rows_]; }
    u16& code(const Hole& h) { return codes_[std::size_t(h.node) * rows_ + h.row]; }

    // A node y with its parents, and the number of rows with each level and configuration: the counter of level b of y
    // is at b + Σ stride · level over the parents. If there are too many counters the strides are random odd words, so
    // that this sum is a hash of 64 bits.
    struct Family {
        std::vector<std::pair<int, u64>> strides;  // of the parents
        u64 levels;                                // of y
        double cell_prior, sum_prior;
        bool hashed;
        std::vector<int> counts, sums;
        std::unordered_map<u64, int> hashed_counts, hashed_sums;

        void add(u64 first, u64 level, int change) {
            if (hashed) {
                hashed_counts[first + level] += change;
                hashed_sums[first] += change;
            } else {
                counts[first + level] += change;
                sums[first / levels] += change;
            }
        }
        double probability(u64 first, u64 level) const {  // of the level of a further row
            if (hashed)
                return (found(hashed_counts, first + level) + cell_prior) / (found(hashed_sums, first) + sum_prior);
            return (counts[first + level] + cell_prior) / (sums[first / levels] + sum_prior);
        }
        static int found(const std::unordered_map<u64, int>& map, u64 key) {
            const auto at = map.find(key);
            return at == map.end() ? 0 : at->second;
        }
    };
    std::vector<Family> families_;
    std::vector<std::vector<int>> children_;

    // Counts the families that a hole is part of.
    void count(const Parents& parents) {
        std::vector<char> open(levels_.size());  // has holes
        for (const Hole& h : holes_) open[std::size_t(h.node)] = 1;
        for (auto& c : children_) c.clear();
        for (int y = 0; y < int(levels_.size()); ++y) {
            bool needed = open[std::size_t(y)];
            for (int p : parents[std::size_t(y)]) {
                children_[std::size_t(p)].push_back(y);
                needed = needed || open[std::size_t(p)];
            }
            if (needed) count(y, parents[std::size_t(y)]);
        }
    }
    void count(int y, const std::vector<int>& parents) {
        Family& f = families_[std::size_t(y)];
        f.levels = u64(levels_[std::size_t(y)]);
        double q = 1;
        for (int p : parents) q = std::min(q * levels_[std::size_t(p)], 1e250);
        f.sum_prior = sample_size_ / q;
        f.cell_prior = f.sum_prior / double(f.levels);
        f.hashed = q * double(f.levels) > double(kMostCounters);
        f.strides.clear();
        u64 next = f.levels;
        for (int p : parents) {
            f.strides.emplace_back(p, f.hashed ? mix64(u64(p) + 1) | 1 : next);
            next *= u64(levels_[std::size_t(p)]);
        }
        if (f.hashed) {
            f.hashed_counts.clear();
            f.hashed_sums.clear();
        } else {
            f.counts.assign(next, 0);
            f.sums.assign(next / f.levels, 0);
        }
        first_.assign(rows_, 0);
        for (const auto& [p, stride] : f.strides) {
            const u16* column = codes(p);
            for (std::size_t i = 0; i < rows_; ++i) first_[i] += stride * column[i];
        }
        for (std::size_t i = 0; i < rows_; ++i) f.add(first_[i], codes(y)[i], 1);
    }

    // Calls f once for every node of the holes and every child of such a node.
    template <class F>
    void each_affected(std::size_t first, std::size_t last, F&& f) {
        ++now_;
        auto once = [&](int y) {
            if (std::exchange(stamp_[std::size_t(y)], now_) != now_) f(y);
        };
        for (std::size_t i = first; i < last; ++i) {
            once(holes_[i].node);
            for (int y : children_[std::size_t(holes_[i].node)]) once(y);
        }
    }
    void add(const IncompleteRow& r, int change) {
        each_affected(r.first, r.last, [&](int y) {
            Family& f = families_[std::size_t(y)];
            u64 at = 0;
            for (const auto& [p, stride] : f.strides) at += stride * codes(p)[r.row];
            f.add(at, codes(y)[r.row], change);
        });
    }

    // The end of the group of holes that begins at `first`.
    std::size_t group_end(std::size_t first, std::size_t end) const {
        u64 combinations = u64(levels_[std::size_t(holes_[first].node)]);
        for (std::size_t i = first + 1; i < end; ++i) {
            combinations *= u64(levels_[std::size_t(holes_[i].node)]);
            if (combinations > kMostCombinations) return i;
        }
        return end;
    }

    // A family of the group that is weighed.
    struct Part {
        const Family* family;
        u64 first, level;                          // without the holes of the group
        int own;                                   // the place of the node in the group, or -1
        std::vector<std::pair<int, u64>> strides;  // of the parents in the group, by their places
    };
    std::vector<Part> parts_;
    std::vector<u64> first_, stamp_, combination_;
    u64 now_ = 0;
    std::vector<int> place_;  // of a node in the group, or -1
    std::vector<double> log_weight_;

    void weigh(std::size_t first, std::size_t last) {
        const u32 row = holes_[first].row;
        for (std::size_t i = first; i < last; ++i) place_[std::size_t(holes_[i].node)] = int(i - first);
        std::size_t count = 0;
        each_affected(first, last, [&](int y) {
            if (parts_.size() == count) parts_.emplace_back();
            Part& t = parts_[count++];
            t.family = &families_[std::size_t(y)];
            t.own = place_[std::size_t(y)];
            t.level = codes(y)[row];
            t.first = 0;
            t.strides.clear();
            for (const auto& [p, stride] : t.family->strides)
                if (const int place = place_[std::size_t(p)]; place >= 0) t.strides.emplace_back(place, stride);
                else t.first += stride * codes(p)[row];
        });
        for (std::size_t i = first; i < last; ++i) place_[std::size_t(holes_[i].node)] = -1;
        combination_.assign(last - first, 0);
        log_weight_.clear();
        do {
            double sum = 0, product = 1;
            for (std::size_t k = 0; k < count; ++k) {
                const Part& t = parts_[k];
                u64 at = t.first;
                for (const auto& [place, stride] : t.strides) at += stride * combination_[std::size_t(place)];
                product *= t.family->probability(at, t.own < 0 ? t.level : combination_[std::size_t(t.own)]);
                if (product < 1e-30) {  // one logarithm for many factors, without underflow
                    sum += fast_log(product);
                    product = 1;
                }
            }
            log_weight_.push_back(sum + fast_log(product));
        } while (next_combination(first));
    }
    bool next_combination(std::size_t first) {
        for (std::size_t i = 0; i < combination_.size(); ++i) {
            if (++combination_[i] < u64(levels_[std::size_t(holes_[first + i].node)])) return true;
            combination_[i] = 0;
        }
        return false;
    }
    void set_group(std::size_t first, std::size_t last, std::size_t chosen) {
        for (std::size_t i = first; i < last; ++i) {
            const auto levels = std::size_t(levels_[std::size_t(holes_[i].node)]);
            code(holes_[i]) = u16(chosen % levels);
            chosen /= levels;
        }
    }
};

}  // namespace czz
