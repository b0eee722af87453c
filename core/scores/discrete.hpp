// Scores of categorical columns from counts: with r levels of y, q configurations of its parents P, and N_jb rows with
// configuration j and level b of y,
//
//   BIC:  Σ N_jb log(N_jb / N_j) − penalty (r − 1) q log N / 2,
//   BDeu: Σ_j (log Γ(a/q) − log Γ(a/q + N_j)) + Σ_jb (log Γ(a/qr + N_jb) − log Γ(a/qr)),   a the equivalent sample size
//
// (Heckerman, Geiger & Chickering 1995). Equal rows of data are one row with a weight. A row of scores groups the rows
// of data by the parents S once and counts every x within the groups. If all weights are one and the groups are few, a
// set of rows is a bitmap, and counting is the size of an intersection. A group of one row adds −log r (BDeu) or 0
// (BIC) for every x, so sparse tables cost little. Where a table would have far more cells than there are rows, only
// its cells with rows are counted, so that memory does not grow with the product of the levels. Counts are exact; the
// error of a score is at most about 1e-15 times the sum of the absolute values of its terms. q is limited to 1e250. The
// weights of resampled rows need not be whole numbers; counts are then sums of them.
#pragma once
#include "base/index_table.hpp"
#include "base/kernels.hpp"
#include "base/math.hpp"
#include "scores/score.hpp"

namespace czz {

using u16 = std::uint16_t;

template <class Weight>  // int or double
class DiscreteOf final : public Score {
    static constexpr int kFewCells = 128, kFewLevels = 16;
    static constexpr std::size_t kNone = ~std::size_t(0);
    static constexpr bool kWhole = std::is_same_v<Weight, int>;
    using Counts = std::vector<Weight>;

    int n_;
    std::size_t rows_, words_;
    std::vector<int> levels_;
    std::vector<u16> codes_;               // by column
    Counts weights_;                       // above 0; empty: all are one
    std::vector<u64> bits_;                // the rows with level a of v
    std::vector<std::size_t> bits_begin_;  // of level 0 of v; kNone: v has too many levels
    double sample_size_, penalty_;         // equivalent sample size (0: BIC); for one parameter, penalty · log N / 2

  public:
    DiscreteOf(std::vector<int> levels, std::size_t rows, const u16* table, Counts weights, double sample_size,
               double penalty)
        : n_(int(levels.size())), rows_(rows), words_((rows + 63) / 64), levels_(std::move(levels)),
          codes_(table, table + std::size_t(n_) * rows), weights_(std::move(weights)),
          bits_begin_(std::size_t(n_), kNone), sample_size_(sample_size), penalty_(penalty) {
        if (!weights_.empty()) return;
        std::size_t size = 0;
        for (int v = 0; v < n_; ++v)
            if (levels_[v] <= kFewLevels) {
                bits_begin_[v] = size;
                size += std::size_t(levels_[v]) * words_;
            }
        bits_.resize(size);
        for (int v = 0; v < n_; ++v)
            if (bits_begin_[v] != kNone)
                for (std::size_t i = 0; i < rows_; ++i)
                    bits_[bits_begin_[v] + codes(v)[i] * words_ + i / 64] |= u64(1) << i % 64;
    }

    int n() const override { return n_; }
    double local(int y, const std::vector<int>& S) const override {
        Grouping g;
        group(g, y, S);
        return likelihood(g, y, g.sums) - cost(y, g.configurations);
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }
    std::unique_ptr<Score> restricted(const std::vector<int>& nodes) const override {
        if (int(nodes.size()) == n_) return nullptr;
        std::vector<int> levels;
        std::vector<u16> table;
        for (int v : nodes) {
            levels.push_back(levels_[v]);
            table.insert(table.end(), codes(v), codes(v) + rows_);
        }
        return std::make_unique<DiscreteOf>(std::move(levels), rows_, table.data(), weights_, sample_size_, penalty_);
    }

  private:
    const u16* codes(int v) const { return &codes_[std::size_t(v) * rows_]; }
    const u64* bits(int v, int level) const { return &bits_[bits_begin_[v] + std::size_t(level) * words_]; }
    Weight weight(std::size_t i) const { return weights_.empty() ? Weight(1) : weights_[i]; }
    double cost(int y, double q) const { return sample_size_ > 0 ? 0 : penalty_ * (levels_[y] - 1) * q; }
    static std::size_t padded(std::size_t size) { return (size + 7) / 8 * 8; }
    static double wider(double q, int levels) { return std::min(q * levels, 1e250); }

    // Of counts[b · groups + j], padded with zeros to a multiple of 8.
    double likelihood(int y, std::size_t groups, double q, const Counts& counts, Counts& sums) const {
        const std::size_t r = std::size_t(levels_[y]);
        sums.assign(padded(groups), 0);
        for (std::size_t b = 0; b < r; ++b)
            for (std::size_t j = 0; j < groups; ++j) sums[j] += counts[b * groups + j];
        return terms(y, q, counts, sums);
    }
    // Of the counts of cells and of groups, both padded with zeros; cells without rows add nothing.
    double terms(int y, double q, const Counts& counts, const Counts& sums) const {
        if (sample_size_ > 0)
            return sum_log_gamma(counts.size(), counts.data(), sample_size_ / wider(q, levels_[y])) -
                   sum_log_gamma(sums.size(), sums.data(), sample_size_ / q);
        return sum_entropy(counts.size(), counts.data()) - sum_entropy(sums.size(), sums.data());
    }
    // Whether a table has so many cells that only those with rows are counted.
    bool has_many_cells(double cells) const { return cells > 4.0 * double(rows_) + 4096; }

    // Numbers pairs in the order of their first appearance.
    struct Pairs {
        std::vector<int> table;
        IndexTable index{1};
        std::vector<u64> keys;  // by number

        // a[i] becomes the number of the pair (a[i], b[i]), with a < na and b < nb; returns the number of different
        // pairs.
        template <class T>
        std::size_t number(std::size_t size, int* a, std::size_t na, const T* b, std::size_t nb) {
            int next = 0;
            if (na * nb <= 2 * size + 4096) {
                table.assign(na * nb, -1);
                for (std::size_t i = 0; i < size; ++i) {
                    int& t = table[std::size_t(a[i]) * nb + std::size_t(b[i])];
                    if (t < 0) t = next++;
                    a[i] = t;
                }
                return std::size_t(next);
            }
            index.clear(2 * size);
            keys.clear();
            for (std::size_t i = 0; i < size; ++i) {
                const u64 key = u64(a[i]) * nb + u64(b[i]), hash = key * 0x9E3779B97F4A7C15ull >> 20;
                const u32 number = index.find_or_insert(hash, u32(keys.size()), [&](u32 k) { return keys[k] == key; });
                if (number == keys.size()) keys.push_back(key);
                a[i] = int(number);
            }
            return keys.size();
        }
    };

    // Counts of the cells that have rows.
    struct SparseTable {
        std::vector<int> group;  // of each row, replaced by its cell
        Counts counts;
        std::vector<u16> level;  // of each row
        Pairs pairs;
    };
    // The likelihood of y from the groups t.group of some rows of data, the i-th of which is row(i).
    template <class Row>
    double likelihood_of_rows(int y, std::size_t groups, double q, SparseTable& t, Row&& row, Counts& sums) const {
        const std::size_t size = t.group.size();
        sums.assign(padded(groups), 0);
        t.level.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            sums[std::size_t(t.group[i])] += weight(row(i));
            t.level[i] = codes(y)[row(i)];
        }
        const std::size_t cells = t.pairs.number(size, t.group.data(), groups, t.level.data(), std::size_t(levels_[y]));
        t.counts.assign(padded(cells), 0);
        for (std::size_t i = 0; i < size; ++i) t.counts[std::size_t(t.group[i])] += weight(row(i));
        return terms(y, q, t.counts, sums);
    }

    // The rows of data grouped by the configuration of S, and the counts of y in each group.
    struct Grouping {
        std::size_t groups = 1;
        double configurations = 1;  // q, including those without rows
        bool bitmaps = false;
        bool sparse = false;                  // there are no counts; the rows have the groups `id`
        std::vector<u64> cells, wider_cells;  // bitmaps of b · groups + j
        std::vector<int> id;                  // the group of each row, where there are no bitmaps
        Counts counts, sums;
        std::vector<u16> values;  // of the i-th parent in group j: values[i · groups + j]
        Pairs pairs;
        SparseTable table;  // working space
    };
    double likelihood(Grouping& g, int y, Counts& sums) const {
        if (!g.sparse) return likelihood(y, g.groups, g.configurations, g.counts, sums);
        g.table.group = g.id;
        return likelihood_of_rows(y, g.groups, g.configurations, g.table, [](std::size_t i) { return i; }, sums);
    }

    bool few_cells(int y, const std::vector<int>& S) const {
        double cells = levels_[y];
        bool few = weights_.empty() && bits_begin_[y] != kNone;
        for (int p : S) {
            cells *= levels_[p];
            few = few && bits_begin_[p] != kNone && cells <= kFewCells;
        }
        return few;
    }

    void group(Grouping& g, int y, const std::vector<int>& S) const {
        g.groups = 1;
        g.configurations = 1;
        for (int p : S) g.configurations = wider(g.configurations, levels_[p]);
        g.bitmaps = few_cells(y, S);
        g.sparse = false;
        if constexpr (kWhole)
            if (g.bitmaps) return group_bits(g, y, S);
        group_rows(g, y, S);
    }
    void group_bits(Grouping& g, int y, const std::vector<int>& S) const {
        const u64 last = rows_ % 64 ? (u64(1) << rows_ % 64) - 1 : ~u64(0);
        g.cells.assign(words_, ~u64(0));
        if (words_) g.cells.back() = last;
        for (int p : S) {
            split(g, p, false);
            g.groups *= std::size_t(levels_[p]);
        }
        split(g, y, true);
        const int cells = int(g.groups) * levels_[y];
        g.counts.assign(padded(std::size_t(cells)), 0);
        const std::vector<u64> all(words_, ~u64(0));
        count_common(words_, cells, g.cells.data(), all.data(), g.counts.data());
        g.values.resize(S.size() * g.groups);
        std::size_t below = g.groups;
        for (std::size_t i = 0; i < S.size(); ++i) {
            below /= std::size_t(levels_[S[i]]);
            for (std::size_t j = 0; j < g.groups; ++j)
                g.values[i * g.groups + j] = u16(j / below % std::size_t(levels_[S[i]]));
        }
    }
    // Splits every cell by the levels of v, which become the least or the most significant digit of its number.
    void split(Grouping& g, int v, bool outermost) const {
        const std::size_t cells = g.cells.size() / std::max<std::size_t>(words_, 1), r = std::size_t(levels_[v]);
        g.wider_cells.resize(cells * r * words_);
        for (std::size_t c = 0; c < cells; ++c)
            for (std::size_t a = 0; a < r; ++a) {
                u64* out = &g.wider_cells[(outermost ? a * cells + c : c * r + a) * words_];
                const u64 *cell = &g.cells[c * words_], *level = bits(v, int(a));
                for (std::size_t w = 0; w < words_; ++w) out[w] = cell[w] & level[w];
            }
        std::swap(g.cells, g.wider_cells);
    }
    void group_rows(Grouping& g, int y, const std::vector<int>& S) const {
        g.id.assign(rows_, 0);
        for (int p : S) g.groups = g.pairs.number(rows_, g.id.data(), g.groups, codes(p), std::size_t(levels_[p]));
        g.sparse = has_many_cells(double(g.groups) * levels_[y]);
        g.counts.assign(g.sparse ? 0 : padded(g.groups * std::size_t(levels_[y])), 0);
        g.values.resize(S.size() * g.groups);
        std::size_t seen = 0;
        for (std::size_t i = 0; i < rows_; ++i) {
            const std::size_t j = std::size_t(g.id[i]);
            if (!g.sparse) g.counts[codes(y)[i] * g.groups + j] += weight(i);
            if (j < seen) continue;
            ++seen;  // groups are numbered in the order of appearance
            for (std::size_t p = 0; p < S.size(); ++p) g.values[p * g.groups + j] = codes(S[p])[i];
        }
    }

    class Kernel final : public RowKernel {
        const DiscreteOf& s_;
        Grouping g_;
        // row_: rows in groups of more than one row; group_ and cell_: theirs
        std::vector<int> number_, group_, cell_, row_, common_, ids_, suffix_;
        Counts table_, sums_;
        std::vector<u16> codes_of_x_;
        std::size_t groups_ = 0;  // of more than one row

      public:
        explicit Kernel(const DiscreteOf& s) : s_(s) {}

        void row(int y, const std::vector<int>& S, double* difference) override {
            std::fill_n(difference, padded(std::size_t(s_.n_)), 0.0);
            s_.group(g_, y, S);
            const double q = g_.configurations;
            const double here = s_.likelihood(g_, y, sums_), cost = s_.cost(y, q);
            std::size_t singles = 0;
            groups_ = g_.groups;
            row_.clear();
            if (!g_.bitmaps) singles = keep_larger_groups(y);
            const double fixed = s_.sample_size_ > 0 ? -double(singles) * std::log(double(s_.levels_[y])) : 0;
            for (int x = 0; x < s_.n_; ++x) {
                if (x == y || std::find(S.begin(), S.end(), x) != S.end()) continue;
                const std::size_t r = std::size_t(s_.levels_[x]);
                const double wider_q = wider(q, s_.levels_[x]);
                const bool by_bits = g_.bitmaps && s_.bits_begin_[x] != kNone;
                double there;
                if (!by_bits && s_.has_many_cells(double(groups_) * s_.levels_[y] * double(r))) {
                    there = likelihood_with(x, y, S, wider_q);
                } else {
                    table_.assign(padded(groups_ * std::size_t(s_.levels_[y]) * r), 0);
                    if (by_bits) count_bits(x, groups_ * std::size_t(s_.levels_[y]));
                    else count_rows(x, y, S);
                    there = s_.likelihood(y, groups_ * r, wider_q, table_, sums_);
                }
                difference[x] = there + fixed - here - (s_.cost(y, wider_q) - cost);
            }
            deletes(y, S, here, cost, difference);
        }

      private:
        // Rows in groups of more than one row, with their cells b · groups + j; returns the number of the others.
        // Called while sums_ holds the sizes of the groups.
        std::size_t keep_larger_groups(int y) {
            number_.assign(g_.groups, -1);
            std::size_t singles = 0;
            groups_ = 0;
            for (std::size_t j = 0; j < g_.groups; ++j) {
                if (!kWhole || sums_[j] > 1) number_[j] = int(groups_++);
                else ++singles;
            }
            cell_.clear();
            group_.clear();
            const bool with_cells = !s_.has_many_cells(double(groups_) * s_.levels_[y]);
            for (std::size_t i = 0; i < s_.rows_; ++i) {
                const int j = number_[std::size_t(g_.id[i])];
                if (j < 0) continue;
                row_.push_back(int(i));
                group_.push_back(j);
                if (with_cells) cell_.push_back(s_.codes(y)[i] * int(groups_) + j);
            }
            return singles;
        }
        // The likelihood of y with x as one more parent, from the cells that have rows.
        double likelihood_with(int x, int y, const std::vector<int>& S, double q) {
            if (g_.bitmaps && row_.empty()) number_cells(y, S);
            SparseTable& t = g_.table;
            t.group = group_;
            codes_of_x_.resize(row_.size());
            for (std::size_t i = 0; i < row_.size(); ++i) codes_of_x_[i] = s_.codes(x)[row_[i]];
            const std::size_t wider_groups =
                t.pairs.number(row_.size(), t.group.data(), groups_, codes_of_x_.data(), std::size_t(s_.levels_[x]));
            return s_.likelihood_of_rows(
                y, wider_groups, q, t, [this](std::size_t i) { return std::size_t(row_[i]); }, sums_);
        }
        void count_rows(int x, int y, const std::vector<int>& S) {
            if (g_.bitmaps && row_.empty()) number_cells(y, S);
            const u16* code = s_.codes(x);
            const int r = s_.levels_[x];
            if (s_.weights_.empty() && row_.size() == s_.rows_)
                for (std::size_t i = 0; i < s_.rows_; ++i) ++table_[std::size_t(cell_[i]) * r + code[i]];
            else
                for (std::size_t i = 0; i < row_.size(); ++i)
                    table_[std::size_t(cell_[i]) * r + code[row_[i]]] += s_.weight(std::size_t(row_[i]));
        }
        // The cells of the bitmaps as one number per row, for columns without bitmaps.
        void number_cells(int y, const std::vector<int>& S) {
            cell_.resize(s_.rows_);
            group_.resize(s_.rows_);
            row_.resize(s_.rows_);
            for (std::size_t i = 0; i < s_.rows_; ++i) {
                int j = 0;
                for (int p : S) j = j * s_.levels_[p] + s_.codes(p)[i];
                group_[i] = j;
                cell_[i] = s_.codes(y)[i] * int(groups_) + j;
                row_[i] = int(i);
            }
        }
        void count_bits(int x, std::size_t cells) {
            const std::size_t r = std::size_t(s_.levels_[x]);
            common_.resize(cells);
            for (std::size_t c = 0; c < cells; ++c) table_[c * r + r - 1] = g_.counts[c];
            for (std::size_t a = 0; a + 1 < r; ++a) {
                count_common(s_.words_, int(cells), g_.cells.data(), s_.bits(x, int(a)), common_.data());
                for (std::size_t c = 0; c < cells; ++c) {
                    table_[c * r + a] = common_[c];
                    table_[c * r + r - 1] -= common_[c];
                }
            }
        }
        // Without the i-th parent, groups that agree in all other parents are one.
        void deletes(int y, const std::vector<int>& S, double here, double cost, double* difference) {
            const std::size_t k = S.size(), groups = g_.groups;
            if (!k) return;
            auto level = [&](std::size_t i) { return std::size_t(s_.levels_[S[i]]); };
            suffix_.assign((k + 1) * groups, 0);
            std::vector<std::size_t> count(k + 1, 1);
            for (std::size_t i = k; i-- > 1;) {
                std::copy_n(&suffix_[(i + 1) * groups], groups, &suffix_[i * groups]);
                count[i] =
                    g_.pairs.number(groups, &suffix_[i * groups], count[i + 1], &g_.values[i * groups], level(i));
            }
            std::vector<int> prefix(groups, 0);
            std::size_t prefixes = 1;
            for (std::size_t i = 0; i < k; ++i) {
                ids_ = prefix;
                const std::size_t merged =
                    g_.pairs.number(groups, ids_.data(), prefixes, &suffix_[(i + 1) * groups], count[i + 1]);
                double q = 1;
                for (std::size_t p = 0; p < k; ++p)
                    if (p != i) q = wider(q, s_.levels_[S[p]]);
                difference[S[i]] = likelihood_of_merged(y, merged, q) - here - (s_.cost(y, q) - cost);
                prefixes = g_.pairs.number(groups, prefix.data(), prefixes, &g_.values[i * groups], level(i));
            }
        }
        // The likelihood of y if the group j becomes a part of the group ids_[j].
        double likelihood_of_merged(int y, std::size_t merged, double q) {
            if (g_.sparse) {
                g_.table.group.resize(s_.rows_);
                for (std::size_t i = 0; i < s_.rows_; ++i) g_.table.group[i] = ids_[std::size_t(g_.id[i])];
                return s_.likelihood_of_rows(y, merged, q, g_.table, [](std::size_t i) { return i; }, sums_);
            }
            const std::size_t r = std::size_t(s_.levels_[y]);
            table_.assign(padded(merged * r), 0);
            for (std::size_t b = 0; b < r; ++b)
                for (std::size_t j = 0; j < g_.groups; ++j)
                    table_[b * merged + std::size_t(ids_[j])] += g_.counts[b * g_.groups + j];
            return s_.likelihood(y, merged, q, table_, sums_);
        }
    };
};

using Discrete = DiscreteOf<int>;

}  // namespace czz
