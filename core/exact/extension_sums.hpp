// Sums over DAGs by inclusion and exclusion over their sources, in 3^n steps (Tian & He 2009).
//
// With A_j(U) = Σ over P ⊂ U of w(j, P), the weight of all ways to extend an order from the nodes U, by DAGs on the
// nodes T, T', ... outside U that may have any parents in U, is
//     G(U) = Σ over ∅ ≠ T ⊂ V \ U of (−1)^(|T|+1) f_U(T),    f_U(T) = G(U ∪ T) Π over j ∈ T of A_j(U),
// since f_U(T) is the weight of those extensions in which no node of T has a parent outside U.
//
// Scale: let M(U) be the log weight of the extensions that are compatible with the best order from U. G(U) / exp(M(U))
// is between 1 and |V \ U|!, and f_U(T) is at most G(U), so nothing overflows and what underflows is negligible.
#pragma once
#include "base/math.hpp"
#include "exact/local_table.hpp"

namespace czz {

// Divides the weights of each node by the largest one, since logs near 0 have the smaller rounding errors.
inline void divide_by_largest(int n, double* table) {
    const std::size_t half = std::size_t(1) << (n - 1);
    for (double* w = table; w != table + std::size_t(n) * half; w += half) {
        const double most = *std::max_element(w, w + half);
        for (std::size_t k = 0; k < half; ++k) w[k] -= most;
    }
}

// Adds to the weight of each set those of all sets that lack some of its members with squeezed numbers from `first` up
// to, not including, `last`.
inline void add_subsets(int n, double* table, int first, int last) {
    auto log_add = [](double a, double b) {
        const double high = std::max(a, b), low = std::min(a, b);
        return low == kMinusInf ? high : high + std::log1p(std::exp(low - high));
    };
    const std::size_t entries = std::size_t(n) << (n - 1);
    for (std::size_t bit = std::size_t(1) << first; bit < std::size_t(1) << last; bit *= 2)
        for (std::size_t k = 0; k < entries; ++k)
            if (k & bit) table[k] = log_add(table[k], table[k ^ bit]);
}

struct ExtensionSums {
    const int n;
    const u32 all;
    const double* const log_a_table;  // log A_j(U), for j as local_table.hpp numbers the sets
    std::vector<double> M, G;         // G divided by exp(M)
    std::vector<double> term;         // by number of T among the nodes outside U
    std::vector<double> sign;         // (−1)^(|T|+1), by number of T

    ExtensionSums(int n_, const double* log_a_table_)
        : n(n_), all((1u << n_) - 1), log_a_table(log_a_table_), M(all + 1u), G(all + 1u), term(all + 1u),
          sign(all + 1u, -1), log_product_(all + 1u) {
        for (u32 bit = 1; bit <= all; bit *= 2)
            for (u32 t = 0; t < bit; ++t) sign[bit + t] = -sign[t];
    }

    double log_a(int j, u32 U) const { return log_a_table[(std::size_t(j) << (n - 1)) + squeeze(U, j)]; }

    // Calls f(number of T, T, Σ over T of log A_j(U)) for the non-empty sets T outside U.
    template <class F>
    void each_step(u32 U, F&& f) {
        const u32 outside = all & ~U;
        log_product_[0] = 0;
        std::size_t size = 1;
        for (u32 m = outside; m; m &= m - 1, size *= 2) {
            const double a = log_a(std::countr_zero(m), U);
            for (std::size_t i = 0; i < size; ++i) log_product_[size + i] = log_product_[i] + a;
        }
        u32 t = 1;
        for (u32 T = outside & -outside; T; T = (T - outside) & outside, ++t) f(t, T, log_product_[t]);
    }

    // Computes M and G. After the terms of G(U), with their signs, are in `term`, calls sum(U), which returns G(U).
    template <class F>
    void compute(F&& sum) {
        G[all] = 1;
        for (u32 U = all; U-- > 0;) {
            M[U] = kMinusInf;
            for (u32 m = all & ~U; m; m &= m - 1)
                M[U] = std::max(M[U], M[U | (m & -m)] + log_a(std::countr_zero(m), U));
            term[0] = 0;
            each_step(U, [&](u32 t, u32 T, double a) { term[t] = sign[t] * step(U, T, a); });
            G[U] = sum(U);
        }
    }

    // f_U(T) / exp(M(U)), for `a` of each_step.
    double step(u32 U, u32 T, double a) const { return G[U | T] * fast_exp(M[U | T] + a - M[U]); }

  private:
    std::vector<double> log_product_;
};

}  // namespace czz
