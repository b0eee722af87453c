// A greedy search behind an interface that does not depend on the width of node sets.
#pragma once
#include "graph/arrows.hpp"
#include "graph/graph_interface.hpp"
#include "scores/score.hpp"
#include "target/edge_prior.hpp"

namespace czz {

// The three of greedy equivalence search (Chickering 2002; Hauser & Bühlmann 2012), and the two of XGES: delete, else
// reverse, else insert; then, at an optimum of these steps, retries without one edge at a time.
enum class Phase { kForward, kBackward, kTurning, kClimbing, kRetrying };

struct PlainStep {
    PlainOperator op;
    double gain;
};

struct GreedyInterface {
    virtual ~GreedyInterface() = default;
    // Makes steps of one phase until none increases the score; returns false if the time is up before. A turn is a
    // delete and an insert. The turning phase also ends when it returns to a class, which can only happen through
    // rounding.
    virtual bool run(Phase phase, double seconds) = 0;
    virtual const std::vector<PlainStep>& steps() const = 0;
    virtual GraphPtr graph() const = 0;
};

struct GreedySettings {
    std::shared_ptr<const Score> score;
    EdgePrior prior;
    int max_degree = 1 << 30;
    Pairs forbidden;                               // never joined
    std::shared_ptr<const ArrowKnowledge> arrows;  // null: no knowledge
};

// Throws TooDense.
std::unique_ptr<GreedyInterface> make_greedy(const GraphInterface& start, const GreedySettings& settings);

}  // namespace czz
