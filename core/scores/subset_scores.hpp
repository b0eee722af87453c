// The local scores of one node for all subsets of a list of candidate parents.
#pragma once
#include "scores/score.hpp"
#include <limits>

namespace czz {

inline constexpr u32 kAtOnce = 1 << 14;  // sets that a score is asked for together

// out[m] = s(y, F ∪ S) for every set S of candidates, numbered by its bit mask m; minus infinity where F ∪ S has more
// than `most` members.
//
// A row at S gives the scores of all sets that differ from S in one node, so rows at the words of a Hamming code are
// enough: of the first c = 2^r - 1 candidates, those with numbers i in S have an exclusive or of i + 1 of 0, and every
// set is such a word, or one change in the first c away from exactly one. If rows are computed from local scores, those
// of the sets themselves are taken.
inline void fill_subset_scores(const Score& score, RowKernel& kernel, int y, const std::vector<int>& fixed,
                               const std::vector<int>& candidates, int most, double* out) {
    std::vector<int> nodes = fixed;
    nodes.insert(nodes.end(), candidates.begin(), candidates.end());
    nodes.push_back(y);
    std::sort(nodes.begin(), nodes.end());
    if (const auto part = score.restricted(nodes)) {
        auto number = [&](int v) { return int(std::lower_bound(nodes.begin(), nodes.end(), v) - nodes.begin()); };
        auto numbers = [&](std::vector<int> some) {
            for (int& v : some) v = number(v);
            return some;
        };
        return fill_subset_scores(*part, *part->kernel(), number(y), numbers(fixed), numbers(candidates), most, out);
    }
    const u32 k = u32(candidates.size()), sets = u32(1) << k, coded = std::bit_floor(k + 1) - 1;
    auto members = [&](u32 m) {
        std::vector<int> S = fixed;
        for (u32 rest = m; rest; rest &= rest - 1) S.push_back(candidates[std::size_t(std::countr_zero(rest))]);
        std::sort(S.begin(), S.end());
        return S;
    };
    std::fill_n(out, sets, -std::numeric_limits<double>::infinity());
    if (score.rows_are_of_locals()) {
        std::vector<std::vector<int>> parents;
        std::vector<u32> places;
        std::vector<double> found;
        for (u32 first = 0; first < sets; first += kAtOnce) {
            parents.clear();
            places.clear();
            for (u32 m = first; m < std::min(sets, first + kAtOnce); ++m)
                if (int(fixed.size()) + popcount(m) <= most) {
                    parents.push_back(members(m));
                    places.push_back(m);
                }
            found.resize(parents.size());
            score.locals(y, parents, found.data());
            for (std::size_t i = 0; i < places.size(); ++i) out[places[i]] = found[i];
        }
        return;
    }
    std::vector<double> difference(std::size_t(score.n() + 7) / 8 * 8);
    for (u32 m = 0; m < sets; ++m) {
        u32 check = 0;
        for (u32 rest = m & ((1u << coded) - 1); rest; rest &= rest - 1) check ^= u32(std::countr_zero(rest)) + 1;
        if (check) continue;
        const std::vector<int> S = members(m);
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
