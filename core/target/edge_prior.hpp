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
    // With a further log weight per edge.
    EdgePrior tilted(double extra_slope) const {
        EdgePrior out = *this;
        out.slope += extra_slope;
        for (std::size_t m = 0; m < table.size(); ++m) out.table[m] += extra_slope * double(m);
        return out;
    }
    double step(int m, int by) const { return table.empty() ? slope * by : weight(m + by) - weight(m); }
};

}  // namespace czz
