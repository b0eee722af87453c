// Independent draws from the DAGs on V with the weights Π over j of w(j, Pa(j)), layer by layer, as in Talvitie,
// Vuoksenmaa & Koivisto (2019): 3^n steps once, then at most about n 2^n per distinct beginning of a drawn DAG.
//
// The first layer are the nodes without parents; the next one are those whose parents are all in the layers above, with
// at least one in the last of these. Let L be the last layer drawn, B the nodes of the layers above it, U = B ∪ L. By
// inversion of f_U (extension_sums.hpp), the weight of the extensions from U in which the nodes with parents in U only
// are exactly K is
//     e_U(K) = Σ over T ⊃ K of (−1)^|T \ K| f_U(T) = Π over j ∈ K of A_j(U) · (a factor without the parents of K).
// Nodes of the next layer need a parent in L, so that their sets of parents weigh A_j(U) − A_j(B) instead of A_j(U).
// The next layer is therefore K with probability proportional to e_U(K) Π over j ∈ K of (1 − A_j(B) / A_j(U)).
//
// Parents are drawn in two steps, first the half of them with high numbers, by sums of w(j, ·) over all sets of low
// ones, which are kept. So a node takes 2^(n/2 + 1) steps.
//
// Precision: let ε be the relative error of a term, which is the rounding error of its log. f_U(T) <= G(U), so the
// errors of e_U(K) are of order 2^n ε G(U) at most, and, as in edge_posterior.hpp, the distribution of the DAGs differs
// from the right one by at most of order n ε 3^n in total variation, far less with data. Where rounding leaves nothing
// to choose from, which has a probability of that order, a DAG is drawn anew.
#pragma once
#include "base/rng.hpp"
#include "exact/extension_sums.hpp"
#include <numeric>
#include <optional>
#include <span>
#include <utility>

namespace czz {

class DagDraws {
    const int n_;
    const u32 low_;                         // the low numbers, as a set
    std::vector<double> w_, low_sums_, a_;  // logs of w(j, P), of its sums over low members, and of A_j(U)
    ExtensionSums sums_;

    Rng rng_;
    std::vector<u32> again_;
    std::vector<double> product_, weights_;

    // The set of this number among the subsets of `from`, which are in increasing order.
    static u32 subset(u32 from, std::size_t number) {
        u32 set = 0;
        for (; from; from &= from - 1, number >>= 1)
            if (number & 1) set |= from & -from;
        return set;
    }

    // An index with probability proportional to the increments of these sums.
    std::size_t draw_index(std::span<const double> sums) {
        const double u = std::min(rng_.uniform() * sums.back(), std::nextafter(sums.back(), 0.0));
        return std::size_t(std::upper_bound(sums.begin(), sums.end(), u) - sums.begin());
    }

    // A subset S of `from` with probability proportional to exp(more(S)) − exp(less(S)); none if rounding leaves none.
    template <class More, class Less>
    std::optional<u32> draw_subset(u32 from, More&& more, Less&& less) {
        auto each = [&](auto&& f) {
            for (u32 s = 0;; s = (s - from) & from) {
                f(s);
                if (s == from) break;
            }
        };
        double most = kMinusInf, sum = 0;
        each([&](u32 s) { most = std::max(most, more(s)); });
        if (most == kMinusInf) return std::nullopt;
        weights_.clear();
        each([&](u32 s) {
            sum += std::max(0.0, fast_exp(more(s) - most) - fast_exp(less(s) - most));
            weights_.push_back(sum);
        });
        if (!(sum > 0)) return std::nullopt;
        return subset(from, draw_index(weights_));
    }

    // A set P of nodes in U, at least one of them in L, with probability proportional to w(j, P).
    std::optional<u32> draw_parents(int j, u32 U, u32 L) {
        const std::size_t row = std::size_t(j) << (n_ - 1);
        const double *w = w_.data() + row, *low_sums = low_sums_.data() + row;
        const u32 inside = squeeze(U, j), last = squeeze(L, j), low = inside & low_, low_above = low & ~last;
        const auto high = draw_subset(
            inside & ~low_, [&](u32 s) { return low_sums[s | low]; },
            [&](u32 s) { return s & last ? kMinusInf : low_sums[s | low_above]; });
        if (!high) return high;
        const auto rest = draw_subset(
            low, [&](u32 s) { return (s | *high) & last ? w[s | *high] : kMinusInf; }, [](u32) { return kMinusInf; });
        if (!rest) return rest;
        return spread(*high | *rest, j);
    }

    // Puts K below the nodes in U in one DAG.
    bool add_layer(u32 K, u32 U, u32 last, u32 dag) {
        for (u32 m = K; m; m &= m - 1) {
            const int j = std::countr_zero(m);
            const auto P = last ? draw_parents(j, U, last) : 0;
            if (!P) return false;
            parents[std::size_t(dag) * n_ + j] = *P;
            above[std::size_t(dag) * n_ + j] = std::uint8_t(std::popcount(U));
        }
        return true;
    }

    // Draws the layers below `last`, which is below `before`, in these DAGs.
    void next_layers(u32 before, u32 last, const std::vector<u32>& dags) {
        const u32 U = before | last, rest = sums_.all & ~U;
        if (!rest) return;
        const std::size_t size = std::size_t(1) << std::popcount(rest);
        std::vector<double>& e = sums_.term;
        sums_.each_step(U, [&](u32 t, u32 T, double a) { e[t] = sums_.step(U, T, a); });
        for (std::size_t bit = 1; bit < size; bit *= 2)
            for (std::size_t k = 0; k < size; k += 2 * bit)
                for (std::size_t i = k; i < k + bit; ++i) e[i] -= e[i + bit];

        std::size_t done = product_[0] = 1;
        for (u32 m = rest; m; m &= m - 1, done *= 2) {
            const int j = std::countr_zero(m);
            const double a = sums_.log_a(j, U);
            const double part = !last ? 1 : a == kMinusInf ? 0 : -std::expm1(sums_.log_a(j, before) - a);
            for (std::size_t i = 0; i < done; ++i) product_[done + i] = product_[i] * part;
        }
        double sum = e[0] = 0;
        for (std::size_t t = 1; t < size; ++t) e[t] = sum += std::max(0.0, e[t] * product_[t]);
        if (!(sum > 0)) {
            again_.insert(again_.end(), dags.begin(), dags.end());
            return;
        }

        std::vector<std::pair<std::size_t, u32>> layers;
        for (u32 dag : dags) layers.emplace_back(draw_index({e.data(), size}), dag);
        std::sort(layers.begin(), layers.end());
        std::vector<u32> group;
        for (std::size_t i = 0; i < layers.size();) {
            const std::size_t number = layers[i].first;
            const u32 K = subset(rest, number);
            group.clear();
            for (; i < layers.size() && layers[i].first == number; ++i)
                (add_layer(K, U, last, layers[i].second) ? group : again_).push_back(layers[i].second);
            if (!group.empty()) next_layers(U, K, group);
        }
    }

    static std::vector<double> divided_by_largest(int n, const double* table) {
        std::vector<double> w(table, table + (std::size_t(n) << (n - 1)));
        divide_by_largest(n, w.data());
        return w;
    }
    std::vector<double> summed(const std::vector<double>& table, int first, int last) const {
        std::vector<double> sums = table;
        add_subsets(n_, sums.data(), first, last);
        return sums;
    }

  public:
    std::vector<u32> parents;         // of the nodes of each DAG, as sets
    std::vector<std::uint8_t> above;  // the number of nodes in the layers above each node

    // `table` holds log w(y, P), minus infinity for sets that are excluded.
    DagDraws(int n, const double* table, u32 count, const Rng& rng)
        : n_(n), low_((1u << (n - 1) / 2) - 1), w_(divided_by_largest(n, table)), low_sums_(summed(w_, 0, (n - 1) / 2)),
          a_(summed(low_sums_, (n - 1) / 2, n - 1)), sums_(n, a_.data()), rng_(rng), product_(sums_.all + 1u),
          parents(std::size_t(count) * n), above(parents.size()) {
        sums_.compute([&](u32 U) {
            return std::accumulate(sums_.term.begin(), sums_.term.begin() + (1 << std::popcount(sums_.all & ~U)), 0.0);
        });
        std::vector<u32> dags(count);
        std::iota(dags.begin(), dags.end(), 0u);
        for (; !dags.empty(); dags = std::exchange(again_, {})) next_layers(0, 0, dags);
    }
};

}  // namespace czz
