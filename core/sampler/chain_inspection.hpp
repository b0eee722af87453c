// What tests ask of a chain beyond its public interface; bound in the submodule `testing` only.
#pragma once
#include "graph/graph_interface.hpp"
#include "scores/score.hpp"
#include <chrono>

namespace czz {

struct Event {  // one way to leave the present state
    int kind;   // +1 insert, -1 delete, 0 flip
    PlainOperator op;
    double log_rate;
};

// The comparison of a state that was updated step by step with one that was computed from scratch.
struct Audit {
    u64 comparisons = 0, differences = 0;
    std::string first;  // the first difference, or ""

    template <class What>
    void check(bool same, What&& what) {
        ++comparisons;
        if (same) return;
        if (++differences == 1) first = what();
    }
};

struct ChainInspection {
    virtual ~ChainInspection() = default;
    virtual std::vector<Event> events() = 0;
    virtual void list_operators() = 0;
    virtual Audit audit() = 0;
    // Goes to any other class to which the target gives a weight, as a move does.
    virtual void replace(const GraphInterface& graph) = 0;
    // Another score of the same nodes, and its value for the present class. State and accumulators are kept; there are
    // no excursions from then on, as their tables belong to a score.
    virtual void set_score(std::shared_ptr<const Score> score, double value) = 0;
    // The length of intervals of a fixed time of the process; clears the accumulators.
    virtual void set_interval(double log2_interval) = 0;
    virtual bool finish_interval(std::chrono::steady_clock::time_point end) = 0;
};

}  // namespace czz
