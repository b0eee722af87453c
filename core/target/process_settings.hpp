// The parameters of the jump process: its target exp(coldness · score) · prior of the number of edges, the balance of
// its rates, and its momentum.
#pragma once
#include "base/kernels.hpp"
#include "target/edge_prior.hpp"

namespace czz {

struct ProcessSettings {
    Balance balance = Balance::kSqrt;
    double coldness = 1;
    EdgePrior prior;
    double momentum = 1;  // 1: Zig-Zag, 0: Zanella's process, between: their superposition
};

}  // namespace czz
