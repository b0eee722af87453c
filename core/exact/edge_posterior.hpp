// Probabilities of edges and of directed paths, summed over all DAGs in 3^n steps (Tian & He 2009, Koivisto & Sood).
//
// With A_j(U) = Σ over P ⊂ U of w(j, P), inclusion and exclusion over the sinks T of a DAG on S gives its weight
//     R(S) = Σ over ∅ ≠ T ⊂ S of (−1)^(|T|+1) R(S \ T) Π over j ∈ T of A_j(S \ T),
// and, over the first nodes T outside U, the weight of all ways to extend an order from U, with any parents in U:
//     G(U) = Σ over ∅ ≠ T ⊂ V \ U of (−1)^(|T|+1) G(U ∪ T) Π over j ∈ T of A_j(U).
// The terms of G(U) with j ∈ T, times R(U), sum over the DAGs in which j is the only source of V \ U, that is, in which
// U is the set of nodes that are neither j nor below j. The pass that computes G gives c_j(U), the probability of that,
// and
//     P(i -> j) = Σ over U ∋ i of c_j(U) (1 − A_j(U \ i) / A_j(U)),    P(i below j) = Σ over U without i of c_j(U).
//
// Scale: let L(S) be the log weight of the DAGs that are compatible with the best order of S. R(S) / exp(L(S)) is
// between 1 and |S|!, and every term of its sum has at most the weight of all orders, so nothing overflows and what
// underflows is negligible. Likewise G.
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
#include "base/math.hpp"
#include "exact/local_table.hpp"

namespace czz {

class EdgePosterior {
    int n_;
    u32 all_;
    const double* log_a_;                            // log A_j(U)
    std::vector<double> L_, R_, M_, G_;              // R, G divided by exp(L), exp(M)
    std::vector<double> log_product_, term_, sign_;  // by number of T; sign (−1)^(|T|+1)

    double log_a(int j, u32 U) const { return log_a_[(std::size_t(j) << (n_ - 1)) + squeeze(U, j)]; }

    // Calls f(number of T, T, sign, Σ over T of log A_j(U)) for the non-empty sets T outside U.
    template <class F>
    void each_step(u32 U, F&& f) {
        const u32 outside = all_ & ~U;
        log_product_[0] = 0;
        std::size_t size = 1;
        for (u32 m = outside; m; m &= m - 1, size *= 2) {
            const double a = log_a(std::countr_zero(m), U);
            for (std::size_t i = 0; i < size; ++i) log_product_[size + i] = log_product_[i] + a;
        }
        u32 t = 1;
        for (u32 T = outside & -outside; T; T = (T - outside) & outside, ++t) f(t, T, sign_[t], log_product_[t]);
    }

    void forward() {
        R_[0] = 1;
        for (u32 S = 1; S <= all_; ++S) {
            L_[S] = -std::numeric_limits<double>::infinity();
            for (u32 m = S; m; m &= m - 1) {
                const u32 rest = S & ~(m & -m);
                L_[S] = std::max(L_[S], L_[rest] + log_a(std::countr_zero(m), rest));
            }
        }
        for (double& l : L_)
            if (l == -std::numeric_limits<double>::infinity()) l = 0;
        for (u32 U = 0; U < all_; ++U)
            if (R_[U] != 0)
                each_step(U, [&](u32, u32 T, double sign, double a) {
                    R_[U | T] += sign * R_[U] * fast_exp(L_[U] + a - L_[U | T]);
                });
    }

    void backward() {
        G_[all_] = 1;
        for (u32 U = all_; U-- > 0;) {
            M_[U] = -std::numeric_limits<double>::infinity();
            for (u32 m = all_ & ~U; m; m &= m - 1)
                M_[U] = std::max(M_[U], M_[U | (m & -m)] + log_a(std::countr_zero(m), U));
            term_[0] = 0;
            each_step(U, [&](u32 t, u32 T, double sign, double a) {
                term_[t] = sign * G_[U | T] * fast_exp(M_[U | T] + a - M_[U]);
            });
            // For each j, from the last: sums the terms with j in T, then adds them to those without j.
            std::size_t size = std::size_t(1) << std::popcount(all_ & ~U);
            const double scale = R_[U] / R_[all_] * fast_exp(L_[U] + M_[U] - L_[all_]);
            for (u32 left = all_ & ~U; left;) {
                const int j = std::bit_width(left) - 1;
                left ^= 1u << j;
                size /= 2;
                double with_j = 0;
                for (std::size_t i = 0; i < size; ++i) {
                    with_j += term_[size + i];
                    term_[i] += term_[size + i];
                }
                collect(j, U, scale * with_j);
            }
            G_[U] = term_[0];
        }
    }

    // c: the probability that U is the set of nodes that are neither j nor below j.
    void collect(int j, u32 U, double c) {
        if (c == 0) return;  // A_j(U) may be 0
        sum_[j] += c;
        const double a = log_a(j, U);
        for (u32 m = U; m; m &= m - 1) {
            const int i = std::countr_zero(m);
            directed[std::size_t(i) * n_ + j] -= c * std::expm1(log_a(j, U & ~(1u << i)) - a);
        }
        for (u32 m = all_ & ~U & ~(1u << j); m; m &= m - 1) path[std::size_t(j) * n_ + std::countr_zero(m)] += c;
    }

    std::vector<double> sum_;

  public:
    std::vector<double> directed, path;  // of i -> j, and of a directed path from i to j, at i n + j
    double miss = 0;

    // `table` holds log w(y, P), minus infinity for sets that are excluded, and is overwritten by log A.
    EdgePosterior(int n, double* table)
        : n_(n), all_((1u << n) - 1), log_a_(table), L_(all_ + 1u), R_(all_ + 1u), M_(all_ + 1u), G_(all_ + 1u),
          log_product_(all_ + 1u), term_(all_ + 1u), sign_(all_ + 1u, -1), sum_(std::size_t(n)),
          directed(std::size_t(n) * n), path(std::size_t(n) * n) {
        const std::size_t half = std::size_t(1) << (n - 1);
        for (std::size_t y = 0; y < std::size_t(n); ++y) {
            double* w = table + y * half;
            const double most = *std::max_element(w, w + half);  // logs near 0 have the smaller rounding errors
            for (std::size_t k = 0; k < half; ++k) w[k] -= most;
            for (std::size_t bit = 1; bit < half; bit *= 2)
                for (std::size_t k = 0; k < half; ++k)
                    if (k & bit) w[k] = log_add(w[k], w[k ^ bit]);
        }
        for (u32 bit = 1; bit <= all_; bit *= 2)
            for (u32 t = 0; t < bit; ++t) sign_[bit + t] = -sign_[t];
        forward();
        backward();
        for (double s : sum_) miss = std::max(miss, std::abs(s - 1));
        for (auto* p : {&directed, &path})
            for (double& v : *p) v = std::clamp(v, 0.0, 1.0);
    }

  private:
    static double log_add(double a, double b) {
        const double high = std::max(a, b), low = std::min(a, b);
        return low == -std::numeric_limits<double>::infinity() ? high : high + std::log1p(std::exp(low - high));
    }
};

}  // namespace czz
