// What the Python boundary sees of a greedy search.
#pragma once
#include "graph/graph_interface.hpp"
#include "scores/score.hpp"
#include "target/edge_prior.hpp"

namespace czz {

enum class Phase { kForward, kBackward, kTurning };

struct PlainStep {
    PlainOperator op;
    double gain;
};

struct GreedyInterface {
    virtual ~GreedyInterface() = default;
    // Steps of one phase until none gains, or the time is up (then false); a turn is a delete and an insert. Turns also
    // end where they come back to a class, which only rounding can make them do.
    virtual bool run(Phase phase, double seconds) = 0;
    virtual const std::vector<PlainStep>& steps() const = 0;
    virtual GraphPtr graph() const = 0;
};

struct GreedySettings {
    std::shared_ptr<const Score> score;
    EdgePrior prior;
    int max_degree = 1 << 30;
    std::vector<std::pair<int, int>> forbidden;
};

// Throws TooDense.
std::unique_ptr<GreedyInterface> make_greedy(const GraphInterface& start, const GreedySettings& settings);

}  // namespace czz
