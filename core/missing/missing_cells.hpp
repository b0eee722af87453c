// The missing cells of the table of a chain, which samples classes and cells together (data augmentation).
//
// A sweep runs the process of (class, direction) given the completed table X for a fixed time T, then draws the missing
// cells given the class. The first step leaves p(γ | X) ⊗ uniform invariant because T does not depend on the path (a
// fixed number of jumps does not), the second one p(X_mis | γ, X_obs), and so both leave p(γ, X_mis | X_obs) invariant.
// The direction is kept from sweep to sweep, and times are accumulated over all sweeps.
#pragma once
#include "missing/kept_tables.hpp"

namespace czz {

class MissingCells {
    int nodes_;
    std::shared_ptr<CompletedTable> table_;
    KeptTables kept_;

  public:
    using Parents = CompletedTable::Parents;
    bool sweeping = false;
    u64 sweeps = 0;  // since the accumulators were last cleared

    MissingCells(int nodes, std::shared_ptr<CompletedTable> table, std::size_t most_tables)
        : nodes_(nodes), table_(std::move(table)), kept_(most_tables) {}

    std::vector<double> values() const { return table_->cells(); }
    const KeptTables& kept() const { return kept_; }
    std::shared_ptr<const Score> score() const { return table_->score(); }
    // Draws the cells given the class of a DAG.
    void draw(const Parents& parents) { table_->draw(parents); }
    // At the end of a sweep in this class.
    template <class F>
    void keep(F&& graph) {
        kept_.add(++sweeps, graph, *table_);
    }
    void clear() {
        if (!sweeping) return;
        sweeps = 0;
        kept_.clear();
    }
    // For a chain that cannot jump, so that its tables, but for few draws between them, are independent.
    template <class F>
    void keep_tables_of_one_class(const Parents& parents, F&& graph) {
        for (u64 i = 1; i <= kept_.most(); ++i) {
            for (int k = 0; k < kDrawsBetween; ++k) draw(parents);
            kept_.add(i, graph, *table_);
        }
    }
    template <class A>
    void state(A& a) {
        a(*table_, kept_, sweeping, sweeps);
        a.check(kept_.fits(table_->holes().size(), nodes_));
    }

  private:
    static constexpr int kDrawsBetween = 5;
};

// The sum of the local scores of a DAG.
inline double total(const Score& score, const CompletedTable::Parents& parents) {
    double sum = 0;
    for (std::size_t y = 0; y < parents.size(); ++y) sum += score.local(int(y), parents[y]);
    return sum;
}

}  // namespace czz
