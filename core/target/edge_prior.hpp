// The prior of the number of edges.
#pragma once
#include "base/math.hpp"
#include <vector>

namespace czz {

// The log prior weight of a graph by its number of edges: linear with a slope, or a table (weight 0 beyond its end).
struct EdgePrior {
    double slope = 0;
    std::vector<double> table;

    double weight(int m) const {
        if (table.empty()) return slope * m;
        return m < 0 || m >= int(table.size()) ? kMinusInf : table[m];
    }
    double step(int m, int by) const { return table.empty() ? slope * by : weight(m + by) - weight(m); }
};

}  // namespace czz
