// The score of MAGs that a function F of sets of columns gives, such as a log marginal likelihood: the sum of the
// interaction terms of all m-connecting sets (Andrews et al. 2022).
//
// With the interactions m(C) = sum over S in C of (-1)^|C \ S| F(S), the score is the sum of m over the sets that
// consist of a head and some of its tail. The sets with head H and tail T add up to the sum over W in H of (-1)^|H \ W|
// F(W u T). Markov equivalent MAGs have the same sets, so the same score; for a DAG it is that of F. It is no
// likelihood, and consistent where heads have fewer than three nodes (Hu & Evans 2022).
#pragma once
#include "ancestral/mag_score.hpp"
#include "ancestral/remembered_values.hpp"

namespace czz {

constexpr int kMostConnectingNodes = 15;  // F is kept for all sets

class ConnectingScore final : public MagScore {
    const std::vector<double> values_;  // F, by set
    RememberedValues districts_;
    u64 fits_ = 0;

    double of_head(MagSet head, MagSet tail) const {
        double sum = 0;
        for (MagSet part = head;; part = (part - 1) & head) {
            const double value = values_[part | tail];
            sum += popcount(head & ~part) % 2 ? -value : value;
            if (!part) return sum;
        }
    }
    double of_heads(const Mag& g, MagSet district) const {
        double sum = 0;
        for (MagSet head = district; head; head = (head - 1) & district) {
            MagSet above = 0;
            bool is_head = true;  // no node is an ancestor of another, and <-> among ancestors connect them
            each_node(head, [&](int v) {
                is_head &= (g.descendants[Mag::at(v)] & head) == only(v);
                above |= g.ancestors[Mag::at(v)];
            });
            if (!is_head) continue;
            const MagSet around = g.district(std::countr_zero(head), above);
            if (head & ~around) continue;
            MagSet tail = around & ~head;
            each_node(around, [&](int v) { tail |= g.parents[Mag::at(v)]; });
            sum += of_head(head, tail);
        }
        return sum;
    }

  public:
    ConnectingScore(int n, const double* values) : MagScore(n, 0), values_(values, values + (std::size_t(1) << n)) {}

    u64 fits() const override { return fits_; }
    double district(const Mag& g, MagSet district) override {
        const int v = std::countr_zero(district);
        if (district == only(v)) {
            const MagSet parents = g.parents[Mag::at(v)];
            return values_[parents | district] - values_[parents];
        }
        const u64 name = name_of_kin(g, district);
        if (const double* known = districts_.find(name)) return *known;
        ++fits_;
        return districts_.add(name, of_heads(g, district));
    }

  private:
    // Heads depend on the ancestors among the district, also on those through other nodes.
    static u64 name_of_kin(const Mag& g, MagSet district) {
        u64 hash = name_of(g, district);
        each_node(district, [&](int v) { hash = add_to_hash(hash, g.ancestors[Mag::at(v)] & district, v); });
        return hash | 1;
    }
};

}  // namespace czz
