// The local scores of one node for all subsets of a list of candidate parents.
#pragma once
#include "scores/score.hpp"
#include <limits>

namespace czz {

// out[m] = s(y, F ∪ S) for every set S of candidates, numbered by its bit mask m; minus infinity where F ∪ S has more
// than `most` members.
//
// A row at S gives the scores of all sets that differ from S in one node, so rows at the words of a Hamming code are
// enough: of the first c = 2^r - 1 candidates, those with numbers i in S have an exclusive or of i + 1 of 0, and every
// set is such a word, or one change in the first c away from exactly one.
inline void fill_subset_scores(const Score& score, RowKernel& kernel, int y, const std::vector<int>& fixed,
                               const std::vector<int>& candidates, int most, double* out) {
    const u32 k = u32(candidates.size()), sets = u32(1) << k, coded = std::bit_floor(k + 1) - 1;
    std::vector<int> S;
    std::vector<double> difference(std::size_t(score.n() + 7) / 8 * 8);
    std::fill_n(out, sets, -std::numeric_limits<double>::infinity());
    for (u32 m = 0; m < sets; ++m) {
        u32 check = 0;
        for (u32 rest = m & ((1u << coded) - 1); rest; rest &= rest - 1) check ^= u32(std::countr_zero(rest)) + 1;
        if (check) continue;
        S = fixed;
        for (u32 rest = m; rest; rest &= rest - 1) S.push_back(candidates[std::size_t(std::countr_zero(rest))]);
        std::sort(S.begin(), S.end());
        const int size = int(S.size());
        if (size > most + 1) continue;
        const double base = score.local(y, S);
        if (size <= most) out[m] = base;
        kernel.row(y, S, difference.data());
        for (u32 i = 0; i < coded; ++i)
            if (m >> i & 1 || size < most) out[m ^ 1u << i] = base + difference[std::size_t(candidates[i])];
    }
}

}  // namespace czz
