// The saved state of a scored target.
//
// Sums (through rounding), units and the order of blocks depend on the path, so they are saved; the rest follows from
// the class. When a state is loaded, the rows in use are computed at once, the others of the cache when they are looked
// up.
#pragma once
#include "graph/operators.hpp"

namespace czz {

template <class Target>
struct ScoredState;

template <template <int> class Scored, int W>
struct ScoredState<Scored<W>> {
    Scored<W>& t;

    // Refuses blocks that are not those of the class, and sums that are not those of the rates up to rounding. Throws
    // TooDense.
    template <class A>
    void state(A& a, const Cpdag<W>& g) {
        a(t.insert_unit_, t.delete_unit_, t.cache_);
        if constexpr (A::kLoads) {
            a.check(is_exponent(t.insert_unit_) && is_exponent(t.delete_unit_) && t.rates_.allows(g.edges));
            t.set_full(g);
            t.rates_.set_steps(g.edges);
        }
        for (int y = 0; y < g.n; ++y) {
            a(t.rows_[y].blocks);
            if constexpr (A::kLoads) finish_row(a, g, y);
        }
        if constexpr (A::kLoads) check_totals(a, g.n);
    }

  private:
    template <class A>
    void finish_row(const A& a, const Cpdag<W>& g, int y) {
        auto& r = t.rows_[y];
        r.parents = g.pa[y];
        r.neighbors = g.ne[y];
        check_density(g, y);
        const Bits<W> X = t.candidates(g, y);
        if (X.any()) t.reach_.find(g, y);
        std::size_t count = 0;
        Cliques<W> cliques(g, g.ne[y]);
        for (Bits<W> K; cliques.next(K); ++count) {
            const bool in_place = count < r.blocks.size() && r.blocks[count].K == K;
            auto* b = in_place ? &r.blocks[count] : t.find(r.blocks, K);
            a.check(b && t.cache_.holds(b->row, y, r.parents | K));
            auto& row = t.cache_[b->row];
            t.cache_.pin(b->row);
            if (row.pending) t.rates_.compute(row);
            b->places = row.inserts;
            b->rate = row.rate;
            b->X = t.places_of(row, X.any() ? t.reached(g, y, X, K) : X);
            b->total = b->sum.value();
            a.check(t.agrees(row, b->X - t.shut_, b->sum, b->peak));
            t.weigh(*b);
        }
        a.check(count == r.blocks.size());
        t.watch(y);
        t.total_row(y);
    }
    template <class A>
    void check_totals(const A& a, int n) {
        bool inserts = false, deletes = false;
        for (const auto& r : t.rows_)
            for (const auto& b : r.blocks) {
                inserts |= b.total > 0;
                deletes |= t.cache_[b.row].delete_sum > 0;
            }
        a.check(t.inserts_.valid(n) && t.deletes_.valid(n));
        a.check(inserts ? !t.out_of_range(t.inserts_.total()) : t.inserts_.total() == 0);
        a.check(deletes ? !t.out_of_range(t.deletes_.total()) : t.deletes_.total() == 0);
    }
};

}  // namespace czz
