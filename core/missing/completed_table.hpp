// The interface of a completed table: a table whose missing cells hold drawn values, which are drawn anew given a
// class.
//
// The target of a run with missing cells is p(γ, X_mis | X_obs) ~ π(γ) p(X | γ), with the marginal likelihood p(X | γ)
// of the completed table X as score. A sweep runs the chain of classes given X, then draws X_mis given the class; both
// leave the target invariant (missing/missing_cells.hpp). The marginal likelihood is the same for all DAGs of a
// class, and so is the distribution of the cells, so any member serves.
#pragma once
#include "base/archive.hpp"
#include "base/math.hpp"
#include "base/rng.hpp"
#include "scores/score.hpp"

namespace czz {

struct Hole {
    u32 row;
    int node;
};

class CompletedTable {
  public:
    using Parents = std::vector<std::vector<int>>;  // of each node in a DAG, ascending

    virtual ~CompletedTable() = default;
    // Draws the missing cells given the class of a DAG.
    virtual void draw(const Parents& parents) = 0;
    // The score of the table as it is completed now.
    virtual std::shared_ptr<const Score> score() const = 0;
    // The values in the holes: numbers, or codes of levels.
    virtual std::vector<double> cells() const = 0;
    virtual bool fits(const std::vector<double>& cells) const = 0;
    virtual void set_cells(const std::vector<double>& cells) = 0;

    const std::vector<Hole>& holes() const { return holes_; }

    template <class A>
    void state(A& a) {
        std::vector<double> values = cells();
        a(rng_, values);
        if constexpr (A::kLoads) {
            a.check(values.size() == holes_.size() && fits(values));
            set_cells(values);
        }
    }

  protected:
    CompletedTable(std::vector<Hole> holes, Rng rng) : holes_(std::move(holes)), rng_(rng) {}

    // The holes of one row: holes_[first .. last).
    struct IncompleteRow {
        u32 row;
        std::size_t first, last;
    };
    std::vector<IncompleteRow> incomplete_rows() const {
        std::vector<IncompleteRow> rows;
        for (std::size_t i = 0; i < holes_.size(); ++i) {
            if (rows.empty() || rows.back().row != holes_[i].row) rows.push_back({holes_[i].row, i, i});
            rows.back().last = i + 1;
        }
        return rows;
    }
    // For every hole a row in which its column is observed, uniformly: the first completion takes the value from there.
    // A hole of a column without observed cells, as some resamples of rows have, keeps its own value.
    std::vector<u32> random_donors(int nodes, std::size_t rows) {
        std::vector<std::vector<char>> missing(static_cast<std::size_t>(nodes));
        for (const Hole& h : holes_) {
            missing[std::size_t(h.node)].resize(rows);
            missing[std::size_t(h.node)][h.row] = 1;
        }
        std::vector<std::vector<u32>> observed(static_cast<std::size_t>(nodes));  // of columns with holes
        for (std::size_t v = 0; v < missing.size(); ++v)
            for (std::size_t i = 0; i < missing[v].size(); ++i)
                if (!missing[v][i]) observed[v].push_back(u32(i));
        std::vector<u32> donors;
        for (const Hole& h : holes_) {
            const auto& rows_of = observed[std::size_t(h.node)];
            donors.push_back(rows_of.empty() ? h.row : rows_of[std::size_t(rng_.below(int(rows_of.size())))]);
        }
        return donors;
    }

    std::vector<Hole> holes_;  // by row, then by node
    Rng rng_;
};

// One of the choices, with probabilities in proportion to exp(log_weight), which is overwritten.
inline std::size_t draw_by_log_weight(Rng& rng, std::vector<double>& log_weight) {
    const double most = *std::max_element(log_weight.begin(), log_weight.end());
    double total = 0;
    for (double& w : log_weight) total += w = fast_exp(w - most);
    double u = rng.uniform() * total;
    for (std::size_t i = 0; i + 1 < log_weight.size(); ++i)
        if ((u -= log_weight[i]) < 0) return i;
    return log_weight.size() - 1;
}

inline bool is_code(double value, int levels) { return value >= 0 && value < levels && value == std::floor(value); }

}  // namespace czz
