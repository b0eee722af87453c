// The state of a chain that was loaded: checked, because it may come from a stranger, and completed.
#pragma once
#include "base/archive.hpp"
#include "graph/operators.hpp"
#include "sampler/accumulate/accumulators.hpp"
#include "sampler/chain_status.hpp"

namespace czz {

struct LoadedState {
    // Refuses what the next step could not rely on. Rates and units are computed again from the target.
    template <class C>
    static void finish(C& c, const Loader& a) {
        check_numbers(c, a);
        check_pairs(c, a);
        try {
            c.target.check_loaded(a, c.graph);
        } catch (const TooDense&) {
            a.check(false);
        }
        const bool was_listed = c.listed() != nullptr;
        c.gap_ = std::nan("");  // so that its factor is computed
        c.find_rates();
        c.set_unit_per_rate(exp_shifted(-c.rates_.log_unit, c.tally.unit));
        if (!c.refusals_) return;
        a.check(c.restriction()->agrees(c.graph));
        c.restriction()->begin(c.graph);
        const auto kept = c.graph;  // with its member DAG
        if (was_listed) c.list_operators();
        c.graph = kept;
    }

  private:
    template <class C>
    static void check_numbers(const C& c, const Loader& a) {
        a.check((c.direction == 1 || c.direction == -1) && std::isfinite(c.score));
        a.check(c.tally.time.valid() && c.accumulated.visit.valid());
        a.check(std::abs(c.tally.unit) <= kNever && c.tally.unit == std::floor(c.tally.unit));
        a.check(c.left_ >= 0 && c.left_ <= c.interval_ && std::isfinite(c.interval_) && c.began_ <= c.tally.jumps);
    }
    // All pairs of the accumulators are pairs of the nodes.
    template <class C>
    static void check_pairs(const C& c, const Loader& a) {
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
};

}  // namespace czz
