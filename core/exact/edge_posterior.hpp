// Probabilities of edges and of directed paths, summed over all DAGs in 3^n steps (Tian & He 2009, Koivisto & Sood).
//
// With A_j(U) = Σ over P ⊂ U of w(j, P), inclusion and exclusion over the sinks T of a DAG on S gives its weight
//     R(S) = Σ over ∅ ≠ T ⊂ S of (−1)^(|T|+1) R(S \ T) Π over j ∈ T of A_j(S \ T),
// and, over the first nodes T outside U, the weight G(U) of all ways to extend an order from U (extension_sums.hpp).
// The terms of G(U) with j ∈ T, times R(U), sum over the DAGs in which j is the only source of V \ U, that is, in which
// U is the set of nodes that are neither j nor below j. The pass that computes G gives c_j(U), the probability of that,
// and
//     P(i -> j) = Σ over U ∋ i of c_j(U) (1 − A_j(U \ i) / A_j(U)),    P(i below j) = Σ over U without i of c_j(U).
//
// Scale: let L(S) be the log weight of the DAGs that are compatible with the best order of S. R(S) / exp(L(S)) is
// between 1 and |S|!, and every term of its sum has at most the weight of all orders, so nothing overflows and what
// underflows is negligible.
//
// A set S that lacks a parent which one of its nodes must have (w(y, ∅) = 0) has R(S) = 0. There L(S) is set to 0: all
// terms that lead to S have the factor A_j = 0, and terms from S are left out.
//
// Precision: a DAG occurs in the sum for R(S) with both signs, at most 2^(number of sinks) times, and an error of R(S)
// enters the result in proportion to the DAGs in which no arrow leads into S from outside. So the absolute error of a
// probability is at most of order n ε E[Σ over such S of 2^(sinks in S)] <= n ε 3^n, which is reached if the
// graph without edges has all the weight: 1e-10 at n = 10, and far less with data. `miss` measures it: the
// probabilities c_j(U) of one j are those of exclusive events and must sum to 1.
#pragma once
#include "exact/extension_sums.hpp"

namespace czz {

class EdgePosterior {
    ExtensionSums sums_;
    std::vector<double> L_, R_;  // R divided by exp(L)

    double log_a(int j, u32 U) const { return sums_.log_a(j, U); }

    void forward() {
        const u32 all = sums_.all;
        R_[0] = 1;
        for (u32 S = 1; S <= all; ++S) {
            L_[S] = kMinusInf;
            for (u32 m = S; m; m &= m - 1) {
                const u32 rest = S & ~(m & -m);
                L_[S] = std::max(L_[S], L_[rest] + log_a(std::countr_zero(m), rest));
            }
        }
        for (double& l : L_)
            if (l == kMinusInf) l = 0;
        for (u32 U = 0; U < all; ++U)
            if (R_[U] != 0)
                sums_.each_step(U, [&](u32 t, u32 T, double a) {
                    R_[U | T] += sums_.sign[t] * R_[U] * fast_exp(L_[U] + a - L_[U | T]);
                });
    }

    void backward() {
        const u32 all = sums_.all;
        sums_.compute([&](u32 U) {
            // For each j, from the last: sums the terms with j in T, then adds them to those without j.
            std::vector<double>& term = sums_.term;
            std::size_t size = std::size_t(1) << std::popcount(all & ~U);
            const double scale = R_[U] / R_[all] * fast_exp(L_[U] + sums_.M[U] - L_[all]);
            for (u32 left = all & ~U; left;) {
                const int j = std::bit_width(left) - 1;
                left ^= 1u << j;
                size /= 2;
                double with_j = 0;
                for (std::size_t i = 0; i < size; ++i) {
                    with_j += term[size + i];
                    term[i] += term[size + i];
                }
                collect(j, U, scale * with_j);
            }
            return term[0];
        });
    }

    // c: the probability that U is the set of nodes that are neither j nor below j.
    void collect(int j, u32 U, double c) {
        if (c == 0) return;  // A_j(U) may be 0
        sum_[j] += c;
        const int n = sums_.n;
        const double a = log_a(j, U);
        for (u32 m = U; m; m &= m - 1) {
            const int i = std::countr_zero(m);
            directed[std::size_t(i) * n + j] -= c * std::expm1(log_a(j, U & ~(1u << i)) - a);
        }
        for (u32 m = sums_.all & ~U & ~(1u << j); m; m &= m - 1) path[std::size_t(j) * n + std::countr_zero(m)] += c;
    }

    std::vector<double> sum_;

  public:
    std::vector<double> directed, path;  // of i -> j, and of a directed path from i to j, at i n + j
    double miss = 0;

    // `table` holds log w(y, P), minus infinity for sets that are excluded, and is overwritten by log A.
    EdgePosterior(int n, double* table)
        : sums_(n, table), L_(sums_.all + 1u), R_(sums_.all + 1u), sum_(std::size_t(n)), directed(std::size_t(n) * n),
          path(std::size_t(n) * n) {
        divide_by_largest(n, table);
        add_subsets(n, table, 0, n - 1);
        forward();
        backward();
        for (double s : sum_) miss = std::max(miss, std::abs(s - 1));
        for (auto* p : {&directed, &path})
            for (double& v : *p) v = std::clamp(v, 0.0, 1.0);
    }
};

}  // namespace czz
