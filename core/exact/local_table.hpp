// The table of all local scores: for each node y the 2^(n-1) sets of other nodes, numbered by leaving out the bit of y.
#pragma once
#include "scores/subset_scores.hpp"

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
    const std::size_t half = std::size_t(1) << (n - 1);
    const auto kernel = score.kernel();
    std::vector<int> others;
    for (int y = 0; y < n; ++y, table += half) {
        others.clear();
        for (int x = 0; x < n; ++x)
            if (x != y) others.push_back(x);
        fill_subset_scores(score, *kernel, y, {}, others, most, table);
    }
}

}  // namespace czz
