// All that a chain accumulates along its path: the time in each class, the time of each mark of each pair, batches of
// jumps, and a trace.
#pragma once
#include "sampler/accumulate/batches.hpp"
#include "sampler/accumulate/class_table.hpp"
#include "sampler/accumulate/trace.hpp"
#include "sampler/chain_status.hpp"

namespace czz {

template <int W>
class Accumulators {
  public:
    const bool on;  // otherwise nothing is accumulated
    ClassTable classes;
    EdgeTimes edge_times;
    Batches batches;
    Trace trace;
    double visit = 0;   // time in the present class that is not yet in the others
    Snapshot<W> drawn;  // the class of the last draw of the trace

    Accumulators(int n, std::size_t most_classes, std::size_t most_deltas, std::size_t trace_points)
        : on(most_classes > 0), classes(most_classes, most_deltas), edge_times(n), trace(trace_points), drawn(n) {}

    void clear(double score) {
        visit = 0;
        classes.clear();
        edge_times.clear();
        batches.clear(score);
        trace.clear();
        drawn.clear();
    }
    // Time passes, until `now` on the clock of drawn times.
    void hold(const Holding& h, double now, const Cpdag<W>& graph, double score, int direction) {
        visit += h.expected;
        trace.hold(now, graph.edges, score, direction,
                   [&](std::vector<u32>& out) { return drawn.append_changes(graph, out); });
    }
    // The time in the present class is added when it is left.
    void leave(const Cpdag<W>& graph, double score) {
        classes.add(graph, visit);
        batches.hold(visit, graph.edges, score);
        visit = 0;
    }
    // The marks of pairs change at the time `now`, the sum of expected times.
    void change(const std::vector<PairChange>& changes, double now) {
        for (const PairChange& c : changes) {
            PairTimes& times = edge_times[c];
            batches.change(c, times);
            times.leave(c.before, now);
            drawn.touched.set(c.b);
        }
    }
    // Multiplies all times by 2^power.
    void rescale(int power) {
        visit = std::ldexp(visit, power);
        classes.rescale(power);
        edge_times.rescale(power);
        batches.rescale(power);
        trace.rescale(power);
    }
};

}  // namespace czz
