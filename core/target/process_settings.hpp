// The parameters of the jump process: its target exp(coldness · score) · prior of the number of edges, the balance of
// its rates, and its momentum.
#pragma once
#include "base/kernels.hpp"
#include "target/edge_prior.hpp"

namespace czz {

// Sums over jumps of the two terms of kAuto, min(1, t) w(t) and sqrt(t), each divided by g(t). In equilibrium jumps
// with the ratio t happen in proportion to g(t), so the sums are in proportion to the jumps that the process would make
// with each term alone.
struct BalanceParts {
    double metropolis = 0, sqrt = 0;

    template <class A>
    void state(A& a) {
        a(metropolis, sqrt);
    }
    friend bool operator==(const BalanceParts&, const BalanceParts&) = default;
};

struct ProcessSettings : BalanceFunction {
    double coldness = 1;
    EdgePrior prior;
    double momentum = 1;  // 1: Zig-Zag, 0: Zanella's process, between: their superposition
    // Inserts with a log ratio below this are unlikely: whether one is valid is found when it is proposed.
    double unlikely_below = kMinusInf;

    // The log ratio of weights of a step by ±1 from a class with this number of edges.
    double log_ratio(double score_difference, int edges, int by) const {
        return coldness * score_difference + prior.step(edges, by);
    }
    // Adds a jump with this log ratio, for the choice of sqrt_weight.
    void add_to(BalanceParts& parts, double log_ratio) const {
        const double m = even_part(fast_exp(-0.5 * std::abs(log_ratio)));
        const double g = is_sqrt() ? 1 : m + sqrt_weight;
        parts.metropolis += m / g;
        parts.sqrt += 1 / g;
    }
};

}  // namespace czz
