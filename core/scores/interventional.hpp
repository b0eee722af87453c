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
#include "scores/gaussian.hpp"
#include <functional>
#include <map>
#include <shared_mutex>

namespace czz {

class Interventional final : public Score {
  public:
    // The score of the rows of these cells; a cell is a combination of levels of all conditions. The second argument is
    // 1/q for the conditions that the group agrees in.
    using GroupScore = std::function<std::shared_ptr<Score>(const std::vector<std::size_t>&, double)>;

  private:
    struct Group {
        std::shared_ptr<Score> score;
        bool is_set;  // the variables have no parents
    };
    using Groups = std::vector<Group>;

    std::vector<int> variables_, conditions_;  // their nodes
    std::vector<int> place_;                   // of a node among the variables or the conditions
    std::vector<char> is_condition_, sets_;    // by node; whether a condition sets its targets
    std::vector<int> levels_;                  // the number of levels of each condition
    std::vector<std::vector<int>> cells_;      // their levels
    GroupScore group_score_;
    mutable std::map<u64, std::shared_ptr<const Groups>> groups_;  // by the set of conditions
    mutable std::shared_mutex mutex_;

  public:
    // At most 64 conditions.
    Interventional(int n, std::vector<int> conditions, std::vector<char> sets, std::vector<int> levels,
                   std::vector<std::vector<int>> cells, GroupScore group_score)
        : conditions_(std::move(conditions)), place_(std::size_t(n)), is_condition_(std::size_t(n)),
          sets_(std::move(sets)), levels_(std::move(levels)), cells_(std::move(cells)),
          group_score_(std::move(group_score)) {
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
        if (!is_condition_[std::size_t(y)])
            return of_variable(*groups(P.conditions), place_[std::size_t(y)], P.variables);
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

    static double of_variable(const Groups& groups, int y, const std::vector<int>& P) {
        double sum = 0;
        for (const Group& g : groups) sum += g.score->local(y, g.is_set ? std::vector<int>{} : P);
        return sum;
    }
    // F of variables and conditions, by the chain rule.
    double value(u64 conditions, const std::vector<int>& S) const {
        const auto found = groups(conditions);
        double sum = 0;
        std::vector<int> before;
        for (int v : S) {
            sum += of_variable(*found, v, before);
            before.push_back(v);
        }
        return sum;
    }

    std::shared_ptr<const Groups> groups(u64 conditions) const {
        {
            std::shared_lock lock(mutex_);
            const auto found = groups_.find(conditions);
            if (found != groups_.end()) return found->second;
        }
        auto made = make_groups(conditions);
        std::unique_lock lock(mutex_);
        return groups_.emplace(conditions, std::move(made)).first->second;
    }
    std::shared_ptr<const Groups> make_groups(u64 conditions) const {
        std::map<std::vector<int>, std::vector<std::size_t>> by_levels;
        for (std::size_t c = 0; c < cells_.size(); ++c) {
            std::vector<int> key(conditions_.size());
            for (u64 rest = conditions; rest; rest &= rest - 1) {
                const auto i = std::size_t(std::countr_zero(rest));
                key[i] = cells_[c][i];
            }
            by_levels[key].push_back(c);
        }
        double share = 1;
        for (u64 rest = conditions; rest; rest &= rest - 1) share /= levels_[std::size_t(std::countr_zero(rest))];
        auto out = std::make_shared<Groups>();
        for (const auto& [key, cells] : by_levels) {
            bool is_set = false;
            for (std::size_t i = 0; i < key.size(); ++i) is_set = is_set || (sets_[i] && key[i] != 0);
            out->push_back({group_score_(cells, share), is_set});
        }
        return out;
    }

    class Kernel final : public RowKernel {
        const Interventional& s_;
        std::map<u64, std::vector<std::unique_ptr<RowKernel>>> kernels_;
        std::vector<double> sum_, one_;
        std::vector<int> toggled_;

      public:
        explicit Kernel(const Interventional& s) : s_(s) {}

        void row(int y, const std::vector<int>& S, double* difference) override {
            std::fill_n(difference, std::size_t(s_.n() + 7) / 8 * 8, 0.0);
            if (s_.is_condition_[std::size_t(y)]) {
                toggle(y, S, difference, 0);
                return;
            }
            const Parents P(s_, S);
            const auto groups = s_.groups(P.conditions);
            auto& kernels = kernels_[P.conditions];
            for (std::size_t g = kernels.size(); g < groups->size(); ++g)
                kernels.push_back((*groups)[g].score->kernel());
            const std::size_t width = (s_.variables_.size() + 7) / 8 * 8;
            sum_.assign(width, 0.0);
            one_.resize(width);
            for (std::size_t g = 0; g < groups->size(); ++g) {
                if ((*groups)[g].is_set) continue;
                kernels[g]->row(s_.place_[std::size_t(y)], P.variables, one_.data());
                for (std::size_t i = 0; i < width; ++i) sum_[i] += one_[i];
            }
            for (std::size_t i = 0; i < s_.variables_.size(); ++i) difference[s_.variables_[i]] = sum_[i];
            toggle(y, S, difference, 1);
        }

      private:
        // The differences of the conditions, or of all nodes, from local scores.
        void toggle(int y, const std::vector<int>& S, double* difference, char conditions_only) {
            const double base = s_.local(y, S);
            for (int x = 0; x < s_.n(); ++x) {
                if (x == y || (conditions_only && !s_.is_condition_[std::size_t(x)])) continue;
                toggled_ = S;
                const auto at = std::lower_bound(toggled_.begin(), toggled_.end(), x);
                if (at != toggled_.end() && *at == x) toggled_.erase(at);
                else toggled_.insert(at, x);
                difference[x] = s_.local(y, toggled_) - base;
            }
        }
    };
};

// BGe of groups, from the number of rows, the sums and the sums of products of the p variables in each cell; `prior`
// times I is the prior scatter.
inline Interventional::GroupScore bge_of_groups(std::size_t p, std::vector<double> rows_of, std::vector<double> sums_of,
                                                std::vector<double> products_of, double alpha_mu, double alpha_w,
                                                double prior) {
    return [=](const std::vector<std::size_t>& cells, double) {
        double rows = 0;
        std::vector<double> sums(p), R(p * p), log_scale(p), c(p + 1), h(p + 1);
        for (std::size_t cell : cells) {
            rows += rows_of[cell];
            for (std::size_t i = 0; i < p; ++i) sums[i] += sums_of[cell * p + i];
            for (std::size_t i = 0; i < p * p; ++i) R[i] += products_of[cell * p * p + i];
        }
        // The scatter about the mean m, and N α_μ / (N + α_μ) m m', are together X'X − N² / (N + α_μ) m m'.
        for (std::size_t i = 0; i < p; ++i)
            for (std::size_t j = 0; j < p; ++j) R[i * p + j] -= sums[i] * sums[j] / (rows + alpha_mu);
        for (std::size_t i = 0; i < p; ++i) R[i * p + i] += prior;
        for (std::size_t i = 0; i < p; ++i) log_scale[i] = std::log(R[i * p + i]);
        for (std::size_t i = 0; i < p; ++i)
            for (std::size_t j = 0; j < p; ++j)
                if (i != j) R[i * p + j] /= std::exp((log_scale[i] + log_scale[j]) / 2);
        for (std::size_t i = 0; i < p; ++i) R[i * p + i] = 1;
        const double fixed = -rows / 2 * std::log(M_PI) + 0.5 * std::log(alpha_mu / (alpha_mu + rows));
        const double a = alpha_w - double(p);
        for (std::size_t k = 0; k <= p; ++k) {
            const double d = double(k) + 1;
            h[k] = (rows + a + d) / 2;
            c[k] = fixed + std::lgamma((rows + a + d) / 2) - std::lgamma((a + d) / 2) +
                   (a + 2 * d - 1) / 2 * std::log(prior);
        }
        return std::make_shared<Gaussian>(int(p), R.data(), log_scale.data(), h.data(), c.data(), 0.5);
    };
}

// BDeu of groups, from the codes of the variables by column, the weights of the rows (empty: all are one), and the cell
// of each row.
inline Interventional::GroupScore bdeu_of_groups(std::vector<int> levels, std::vector<u16> codes,
                                                 std::vector<int> weights, std::vector<int> cell_of,
                                                 double sample_size) {
    return [=](const std::vector<std::size_t>& cells, double share) {
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < cell_of.size(); ++i)
            if (std::find(cells.begin(), cells.end(), std::size_t(cell_of[i])) != cells.end()) rows.push_back(i);
        std::vector<u16> own;
        for (std::size_t v = 0; v < levels.size(); ++v)
            for (std::size_t i : rows) own.push_back(codes[v * cell_of.size() + i]);
        std::vector<int> own_weights;
        if (!weights.empty())
            for (std::size_t i : rows) own_weights.push_back(weights[i]);
        return std::make_shared<Discrete>(levels, rows.size(), own.data(), std::move(own_weights), sample_size * share,
                                          0.0);
    };
}

}  // namespace czz
