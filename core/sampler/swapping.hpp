// Two chains of one score exchange their states, not their accumulators.
#pragma once
#include "sampler/chain.hpp"

namespace czz {

template <class C>
void swap_states(C& a, C& b) {
    a.leave();
    b.leave();
    std::swap(a.graph, b.graph);
    std::swap(a.direction, b.direction);
    std::swap(a.score, b.score);
    std::swap(a.score_reference, b.score_reference);
    std::swap(a.rounded, b.rounded);
    list_changes(b.graph, a.graph);
    b.graph.changes = a.graph.changes;
    for (PairChange& c : b.graph.changes) std::swap(c.before, c.after);
    b.graph.reshaped = a.graph.all;
    a.after_replacement();
    b.after_replacement();
}

}  // namespace czz
