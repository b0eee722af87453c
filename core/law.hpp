// The law of a chain: target = exp(coldness · score) · prior of the number of edges, and the balance of its rates.
#pragma once
#include "kernels.hpp"
#include "math.hpp"
#include <limits>

namespace czz {

constexpr double kMinusInf = -std::numeric_limits<double>::infinity();

// The log prior weight of a graph by its number of edges: linear with a slope, or a table (impossible beyond its end).
struct EdgePrior {
    double slope = 0;
    std::vector<double> table;

    double weight(int m) const {
        if (table.empty()) return slope * m;
        return m < 0 || m >= int(table.size()) ? kMinusInf : table[m];
    }
    double step(int m, int by) const { return table.empty() ? slope * by : weight(m + by) - weight(m); }
};

struct Law {
    Balance balance = Balance::kSqrt;
    double coldness = 1;
    EdgePrior prior;
    double momentum = 1;  // 1: Zig-Zag, 0: Zanella's process, between: their superposition
};

}  // namespace czz
