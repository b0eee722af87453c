// The best of all DAGs by dynamic programming over sets of nodes (Silander & Myllymäki 2006).
//
// A DAG on the set S has a sink y, whose parents are some of S \ y, and a DAG on S \ y:
// best(S) = max over y of best(S \ y) + max over P ⊂ S \ y of s(y, P).
// Memory: the table and 2^n more numbers. Choices are not stored: a maximum equals one of its arguments bit for bit, so
// the choice is found again by comparing for equality.
#pragma once
#include "exact/local_table.hpp"

namespace czz {

// The parents of each node, as sets. Overwrites s(y, P) in the table by the best over all subsets of P.
// Among sets with the same score a smaller one is chosen (the first node that can be dropped is dropped, repeatedly);
// among sinks the first one.
inline std::vector<u32> best_dag(int n, double* table) {
    const std::size_t half = std::size_t(1) << (n - 1);
    for (std::size_t y = 0; y < std::size_t(n); ++y)
        for (std::size_t bit = 1; bit < half; bit *= 2)
            for (std::size_t k = y * half; k < (y + 1) * half; k += 2 * bit)
                for (std::size_t i = k; i < k + bit; ++i) table[i + bit] = std::max(table[i], table[i + bit]);

    std::vector<double> best(2 * half);
    auto with_sink = [&](u32 S, int y) {
        const u32 rest = S & ~(1u << y);
        return best[rest] + table[std::size_t(y) * half + squeeze(rest, y)];
    };
    for (u32 S = 1; S < 2 * half; ++S) {
        best[S] = -std::numeric_limits<double>::infinity();
        for (u32 m = S; m; m &= m - 1) best[S] = std::max(best[S], with_sink(S, std::countr_zero(m)));
    }

    std::vector<u32> parents(std::size_t(n), 0);
    for (u32 S = u32(2 * half - 1); S;) {
        int y = std::countr_zero(S);
        for (u32 m = S; with_sink(S, y) != best[S]; y = std::countr_zero(m)) m &= m - 1;
        S &= ~(1u << y);
        u32 P = squeeze(S, y);
        const double* score = table + std::size_t(y) * half;
        for (u32 m = P; m;) {
            const u32 bit = m & -m;
            m ^= bit;
            if (score[P ^ bit] == score[P]) m = P ^= bit;
        }
        parents[y] = spread(P, y);
    }
    return parents;
}

}  // namespace czz
