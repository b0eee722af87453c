// The table of all local scores: for each node y the 2^(n-1) sets of other nodes, numbered by leaving out the bit of y.
#pragma once
#include "../score.hpp"
#include <limits>

namespace czz {

inline u32 squeeze(u32 set, int y) {  // the number of a set without y
    const u32 low = (1u << y) - 1;
    return (set & low) | (set >> 1 & ~low);
}
inline u32 spread(u32 number, int y) {  // the set of a number
    const u32 low = (1u << y) - 1;
    return (number & low) | (number & ~low) << 1;
}

// s(y, P) for all y and P, minus infinity where P has more than `most` members.
inline void fill_local_table(const Score& score, int most, double* table) {
    const int n = score.n();
    const u32 half = 1u << (n - 1);
    std::vector<int> parents;
    for (int y = 0; y < n; ++y)
        for (u32 k = 0; k < half; ++k) {
            double& entry = table[std::size_t(y) * half + k];
            entry = -std::numeric_limits<double>::infinity();
            if (std::popcount(k) > most) continue;
            parents.clear();
            for (u32 m = spread(k, y); m; m &= m - 1) parents.push_back(std::countr_zero(m));
            entry = score.local(y, parents);
        }
}

}  // namespace czz
