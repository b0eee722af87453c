// The score of variables under several experimental conditions, with the conditions as nodes (interventional BGe,
// BDeu). With the groups of rows that agree in the conditions J, and ℓ_g the log marginal likelihood of BGe or BDeu in
// group g,
//
//   F(S ∪ J) = Σ_g ℓ_g(S),  F(J) = 0,
//
// for variables S (Kuipers & Moffa 2025): a variable whose parents contain a condition has parameters of its own in
// each group. If a condition is known to set its targets, they have no parents where it is on: such groups add
// Σ_{v ∈ S} ℓ_g({v}) instead. As a set function it is score-equivalent, with the conditions' own local scores.
//
// If the conditions J have q combinations of levels, BDeu has the equivalent sample size a/q in each group: without
// targets, the local scores of the variables are then those of BDeu with the conditions as parents.
//
// The local score of a variable is a sum of local scores over groups, and a row of differences a sum of rows, except
// where conditions are toggled.
#pragma once
#include "scores/discrete.hpp"
#include "scores/normal_wishart.hpp"
#include <functional>
#include <map>
#include <numeric>

namespace czz {

class Interventional final : public Score {
  public:
    // The score of some variables, in the rows of these cells; a cell is a combination of levels of all conditions. The
    // third argument is 1/q for the conditions that the group agrees in.
    using GroupScore = std::function<std::unique_ptr<Score>(const std::vector<int>& variables,
                                                            const std::vector<std::size_t>& cells, double share)>;
    // The memory of the score of all variables in such a group, and of its kernel, about.
    using GroupBytes = std::function<std::size_t(const std::vector<std::size_t>& cells)>;

  private:
    struct Group {
        std::vector<std::size_t> cells;
        bool is_set;  // the variables have no parents
    };
    using Groups = std::vector<Group>;

    std::vector<int> variables_, conditions_;  // their nodes
    std::vector<int> place_;                   // of a node among the variables or the conditions
    std::vector<char> is_condition_;           // by node
    std::vector<char> sets_;                   // by condition: whether it sets its targets
    std::vector<int> levels_;                  // the number of levels of each condition
    std::vector<std::vector<int>> cells_;      // their levels
    GroupScore group_score_;
    GroupBytes group_bytes_;

  public:
    // At most 64 conditions.
    Interventional(int n, std::vector<int> conditions, std::vector<char> sets, std::vector<int> levels,
                   std::vector<std::vector<int>> cells, GroupScore group_score, GroupBytes group_bytes)
        : conditions_(std::move(conditions)), place_(std::size_t(n)), is_condition_(std::size_t(n)),
          sets_(std::move(sets)), levels_(std::move(levels)), cells_(std::move(cells)),
          group_score_(std::move(group_score)), group_bytes_(std::move(group_bytes)) {
        for (std::size_t i = 0; i < conditions_.size(); ++i) {
            is_condition_[std::size_t(conditions_[i])] = 1;
            place_[std::size_t(conditions_[i])] = int(i);
        }
        for (int v = 0; v < n; ++v)
            if (!is_condition_[std::size_t(v)]) {
                place_[std::size_t(v)] = int(variables_.size());
                variables_.push_back(v);
            }
    }

    int n() const override { return int(place_.size()); }
    bool expensive_rows() const override { return true; }
    double local(int y, const std::vector<int>& S) const override {
        const Parents P(*this, S);
        if (!is_condition_[std::size_t(y)]) return of_variable(place_[std::size_t(y)], P.variables, P.conditions);
        return value(P.conditions | u64(1) << place_[std::size_t(y)], P.variables) - value(P.conditions, P.variables);
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }

  private:
    // Parents: the places of the variables among them, and the set of the conditions.
    struct Parents {
        std::vector<int> variables;
        u64 conditions = 0;
        Parents(const Interventional& s, const std::vector<int>& S) {
            for (int v : S) {
                const int place = s.place_[std::size_t(v)];
                if (s.is_condition_[std::size_t(v)]) conditions |= u64(1) << place;
                else variables.push_back(place);
            }
        }
    };

    // The local score of a variable, from scores of this variable and its parents alone.
    double of_variable(int y, const std::vector<int>& P, u64 conditions) const {
        std::vector<int> family = P, parents(P.size());
        family.push_back(y);
        std::iota(parents.begin(), parents.end(), 0);
        double sum = 0;
        for (const Group& g : groups(conditions)) {
            if (g.is_set) sum += group_score_({y}, g.cells, share(conditions))->local(0, {});
            else sum += group_score_(family, g.cells, share(conditions))->local(int(P.size()), parents);
        }
        return sum;
    }
    // F of variables and conditions, by the chain rule.
    double value(u64 conditions, const std::vector<int>& S) const {
        double sum = 0;
        std::vector<int> before;
        for (int v : S) {
            sum += of_variable(v, before, conditions);
            before.push_back(v);
        }
        return sum;
    }
    double share(u64 conditions) const {
        double product = 1;
        for (u64 rest = conditions; rest; rest &= rest - 1) product /= levels_[std::size_t(std::countr_zero(rest))];
        return product;
    }
    // The groups of cells that agree in some conditions, in the order of their levels.
    Groups groups(u64 conditions) const {
        std::vector<std::size_t> group_of(cells_.size(), 0), number;
        std::size_t count = 1;
        for (u64 rest = conditions; rest; rest &= rest - 1) {
            const auto i = std::size_t(std::countr_zero(rest));
            number.assign(count * std::size_t(levels_[i]), 0);
            for (std::size_t c = 0; c < cells_.size(); ++c) {
                group_of[c] = group_of[c] * std::size_t(levels_[i]) + std::size_t(cells_[c][i]);
                number[group_of[c]] = 1;
            }
            count = 0;
            for (std::size_t& k : number) k = k > 0 ? count++ : 0;
            for (std::size_t& g : group_of) g = number[g];
        }
        Groups out(count);
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            Group& g = out[group_of[c]];
            g.cells.push_back(c);
            g.is_set = false;
            for (u64 rest = conditions; rest; rest &= rest - 1) {
                const auto i = std::size_t(std::countr_zero(rest));
                g.is_set = g.is_set || (sets_[i] && cells_[c][i] != 0);
            }
        }
        return out;
    }

    // Caches scores of all variables in the groups of some sets of conditions. Beyond its limit it is emptied; while
    // there is no room, local scores are computed from scores of few variables.
    class Kernel final : public RowKernel {
        struct CachedGroup {
            bool is_set;
            std::unique_ptr<Score> score;
            std::unique_ptr<RowKernel> kernel;
        };
        using CachedGroups = std::vector<CachedGroup>;
        const Interventional& s_;
        std::map<u64, CachedGroups> groups_;  // by the set of conditions
        std::size_t bytes_ = 0, most_bytes_ = std::size_t(1) << 26;
        std::vector<double> sum_, difference_;
        std::vector<int> all_;  // variables

      public:
        explicit Kernel(const Interventional& s) : s_(s), all_(s.variables_.size()) {
            std::iota(all_.begin(), all_.end(), 0);
        }
        std::size_t limit_cache(std::size_t bytes) override { return most_bytes_ = bytes; }
        void row(int y, const std::vector<int>& S, double* difference) override {
            std::fill_n(difference, std::size_t(s_.n() + 7) / 8 * 8, 0.0);
            if (s_.is_condition_[std::size_t(y)]) {
                for (int x = 0; x < s_.n(); ++x)
                    if (x != y) difference[x] = s_.local(y, toggled(S, x));
                const double here = s_.local(y, S);
                for (int x = 0; x < s_.n(); ++x)
                    if (x != y) difference[x] -= here;
                return;
            }
            const Parents P(s_, S);
            const int place = s_.place_[std::size_t(y)];
            const CachedGroups& groups = *cached(P.conditions, true);
            const std::size_t width = (all_.size() + 7) / 8 * 8;
            sum_.assign(width, 0.0);
            difference_.resize(width);
            for (const CachedGroup& g : groups) {
                if (g.is_set) continue;
                g.kernel->row(place, P.variables, difference_.data());
                for (std::size_t i = 0; i < width; ++i) sum_[i] += difference_[i];
            }
            for (std::size_t i = 0; i < all_.size(); ++i) difference[s_.variables_[i]] = sum_[i];
            const double here = of_variable(place, P.variables, P.conditions);
            for (std::size_t i = 0; i < s_.conditions_.size(); ++i)
                difference[s_.conditions_[i]] = of_variable(place, P.variables, P.conditions ^ u64(1) << i) - here;
        }

      private:
        static std::vector<int> toggled(std::vector<int> S, int x) {
            const auto at = std::lower_bound(S.begin(), S.end(), x);
            if (at != S.end() && *at == x) S.erase(at);
            else S.insert(at, x);
            return S;
        }
        double of_variable(int y, const std::vector<int>& P, u64 conditions) {
            const CachedGroups* groups = cached(conditions, false);
            if (!groups) return s_.of_variable(y, P, conditions);
            double sum = 0;
            for (const CachedGroup& g : *groups) sum += g.score->local(y, g.is_set ? std::vector<int>{} : P);
            return sum;
        }
        // The groups of these conditions; null if there is no room for them and they are not needed.
        const CachedGroups* cached(u64 conditions, bool needed) {
            const auto known = groups_.find(conditions);
            if (known != groups_.end()) return &known->second;
            const Groups groups = s_.groups(conditions);
            std::size_t bytes = 0;
            for (const Group& g : groups) bytes += s_.group_bytes_(g.cells);
            if (bytes_ + bytes > most_bytes_) {
                if (!needed) return nullptr;
                groups_.clear();
                bytes_ = 0;
            }
            CachedGroups& out = groups_[conditions];
            for (const Group& g : groups) {
                auto score = s_.group_score_(all_, g.cells, s_.share(conditions));
                auto kernel = score->kernel();
                out.push_back({g.is_set, std::move(score), std::move(kernel)});
            }
            bytes_ += bytes;
            return &out;
        }
    };
};

// BGe of groups, from the number of rows, the sums and the sums of products of the variables in each cell.
struct BgeOfGroups {
    NormalWishart prior;
    std::vector<double> rows, sums, products;

    std::unique_ptr<Score> operator()(const std::vector<int>& variables, const std::vector<std::size_t>& cells,
                                      double) const {
        const std::size_t p = prior.columns, q = variables.size();
        double samples = 0;
        std::vector<double> sum(q), R(q * q), log_scale(q);
        for (std::size_t cell : cells) {
            samples += rows[cell];
            for (std::size_t i = 0; i < q; ++i) {
                const std::size_t v = std::size_t(variables[i]);
                sum[i] += sums[cell * p + v];
                for (std::size_t j = 0; j < q; ++j)
                    R[i * q + j] += products[(cell * p + v) * p + std::size_t(variables[j])];
            }
        }
        // The scatter about the mean m, and N α_μ / (N + α_μ) m m', are together X'X − N² / (N + α_μ) m m'.
        for (std::size_t i = 0; i < q; ++i)
            for (std::size_t j = 0; j < q; ++j) R[i * q + j] -= sum[i] * sum[j] / (samples + prior.alpha_mu);
        for (std::size_t i = 0; i < q; ++i) R[i * q + i] += prior.scale;
        for (std::size_t i = 0; i < q; ++i) log_scale[i] = std::log(R[i * q + i]);
        for (std::size_t i = 0; i < q; ++i)
            for (std::size_t j = 0; j < q; ++j)
                if (i != j) R[i * q + j] /= std::exp((log_scale[i] + log_scale[j]) / 2);
        for (std::size_t i = 0; i < q; ++i) R[i * q + i] = 1;
        std::vector<int> begin(q + 1);
        std::iota(begin.begin(), begin.end(), 0);
        return bge_score(begin, R.data(), log_scale.data(), samples, prior);
    }
    std::size_t bytes(const std::vector<std::size_t>&) const {
        return (prior.columns + 8) * (prior.columns + 24) * sizeof(double);
    }
};

// BDeu of groups, from the codes of the variables by column, the weights of the rows (empty: all are one), and the rows
// of each cell.
template <class Weight>
struct BdeuOfGroups {
    std::vector<int> levels;
    std::vector<u16> codes;
    std::vector<Weight> weights;
    std::vector<std::vector<std::size_t>> rows_of;
    double sample_size;

    std::unique_ptr<Score> operator()(const std::vector<int>& variables, const std::vector<std::size_t>& cells,
                                      double share) const {
        const std::size_t all_rows = codes.size() / levels.size();
        std::vector<std::size_t> rows;
        for (std::size_t cell : cells) rows.insert(rows.end(), rows_of[cell].begin(), rows_of[cell].end());
        std::sort(rows.begin(), rows.end());
        std::vector<u16> group_codes;
        std::vector<int> group_levels;
        std::vector<Weight> group_weights;
        for (int v : variables) {
            group_levels.push_back(levels[std::size_t(v)]);
            for (std::size_t i : rows) group_codes.push_back(codes[std::size_t(v) * all_rows + i]);
        }
        if (!weights.empty())
            for (std::size_t i : rows) group_weights.push_back(weights[i]);
        return std::make_unique<DiscreteOf<Weight>>(std::move(group_levels), rows.size(), group_codes.data(),
                                                    std::move(group_weights), sample_size * share, 0.0);
    }
    // Codes, bitmaps of columns of few levels, and the working space of a kernel.
    std::size_t bytes(const std::vector<std::size_t>& cells) const {
        std::size_t rows = 0, per_row = 32 + levels.size() * sizeof(u16);
        for (std::size_t cell : cells) rows += rows_of[cell].size();
        for (int r : levels) per_row += std::size_t(std::min(r, 16)) / 8;
        return rows * per_row + levels.size() * 64 + 4096;
    }
};

}  // namespace czz
