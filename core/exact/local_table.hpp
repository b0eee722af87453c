// The table of all local scores: for each node y the 2^(n-1) sets of other nodes, numbered by leaving out the bit of y.
#pragma once
#include "scores/score.hpp"
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
//
// A row at S gives the scores of all sets that differ from S in one node, so rows at the words of a Hamming code
// suffice. Words are the sets S for which the exclusive or of i + 1, over the members i of S among the first c = 2^r -
// 1 other nodes, is 0; every set is a word, or differs from exactly one word in one of these c nodes.
inline void fill_local_table(const Score& score, int most, double* table) {
    const int n = score.n();
    const u32 half = 1u << (n - 1), coded = std::bit_floor(u32(n)) - 1;
    const auto kernel = score.kernel();
    std::vector<int> S;
    std::vector<double> difference(std::size_t(n + 7) / 8 * 8);
    std::fill_n(table, std::size_t(n) * half, -std::numeric_limits<double>::infinity());
    for (int y = 0; y < n; ++y, table += half)
        for (u32 k = 0; k < half; ++k) {
            u32 check = 0;
            for (u32 m = k & ((1u << coded) - 1); m; m &= m - 1) check ^= u32(std::countr_zero(m)) + 1;
            if (check) continue;
            S.clear();
            for (u32 m = spread(k, y); m; m &= m - 1) S.push_back(std::countr_zero(m));
            const int size = int(S.size());
            if (size > most + 1) continue;
            const double base = score.local(y, S);
            if (size <= most) table[k] = base;
            kernel->row(y, S, difference.data());
            for (u32 i = 0; i < coded; ++i)
                if (k >> i & 1 || size < most) table[k ^ 1u << i] = base + difference[i + (int(i) >= y)];
        }
}

}  // namespace czz
