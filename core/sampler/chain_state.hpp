// The saved state of a chain: everything that the next step and the accumulators depend on, so that a chain which is
// saved and loaded continues bit for bit; and the check of what was loaded, as it may come from a stranger.
#pragma once
#include "base/archive.hpp"
#include "graph/completion.hpp"
#include "sampler/intervals.hpp"

namespace czz {

// All pairs of the accumulators are pairs of the nodes.
template <class C>
void check_pairs(const C& c, const Loader& a) {
    const u64 pairs = pair_index(0, std::max(1, c.graph.n));
    auto check_deltas = [&](const std::vector<u32>& deltas) {
        for (u32 d : deltas) a.check(d >> 2 < pairs);
    };
    check_deltas(c.accumulated.classes.deltas());
    check_deltas(c.accumulated.trace.draws.deltas);
    check_deltas(c.accumulated.trace.draws.pending);
    for (const auto& f : c.accumulated.batches.firsts) a.check(f.b < c.graph.n);
    for (const Batch& b : c.accumulated.batches.closed)
        for (const auto& changed : b.changed) a.check(changed.pair < pairs);
}

// Refuses what the next step could not rely on, and computes what follows from the rest.
template <class C>
void finish_loading(C& c, const Loader& a) {
    a.check(c.can_continue() && (c.direction == 1 || c.direction == -1));
    a.check(std::isfinite(c.score) && std::isfinite(c.score_reference));
    a.check(c.tally.time.valid() && c.accumulated.visit >= 0 && std::isfinite(c.accumulated.visit));
    a.check(std::abs(c.next.unit) <= kNever && c.next.unit == std::floor(c.next.unit));
    check_pairs(c, a);
    c.moves.look_whether_spent();
    const bool was_listed = c.listed() != nullptr;
    c.find_rates();
    if (c.next.has_unit) c.next.set_unit(c.next.unit);
    if (!c.refusals) return;
    a.check(c.restriction()->agrees(c.graph));
    c.restriction()->begin(c.graph);
    const auto kept = c.graph;  // with its member DAG
    if (was_listed) c.list_operators();
    c.graph = kept;
}

template <class C, class A>
void chain_state(C& c, Intervals& intervals, A& a) {
    a.same(u64(c.graph.n));
    graph_state(c.graph, a);
    auto& acc = c.accumulated;
    try {
        c.target.state(a, c.graph);
    } catch (const TooDense&) {
        a.check(false);
    }
    a(c.direction, c.score, c.score_reference, c.rounded, c.rng, c.status, c.tally, c.next.unit, c.next.has_unit);
    a(acc.classes, acc.edge_times, acc.batches, acc.trace, acc.visit, acc.drawn, intervals);
    for (const auto& m : c.moves.all) m->state(a);
    if (c.refusals) a(*c.refusals);
    if constexpr (A::kLoads) finish_loading(c, a);
}

}  // namespace czz
