// Jumps under knowledge: which proposals are refused, and what a chain does where nearly all are.
//
// A chain moves to the proposed class, and back if that disagrees. target/restriction.hpp has the reasons why the
// stationary distribution stays as it is.
//
// Where a class has operators, one of them is accepted, so no chain proposes in vain for ever. From a class with an
// edge that is not required, the delete of that edge from a DAG that agrees is accepted. The class of the required
// arrows alone has no delete. If it has an insert of x -> y, that arrow is not forbidden and closes no cycle with the
// required ones (graph/arrows.hpp), so it can be added to them, by an operator with the same x and y.
#pragma once
#include "base/rng.hpp"
#include "sampler/listed_operators.hpp"
#include "target/restriction.hpp"

namespace czz {

constexpr int kTrials = 8;  // random operators that are tested on arrival at a class; see restriction.hpp

template <int W>
class Refusals {
  public:
    Restriction<W> restriction;  // at the present class
    u64 refused = 0;             // proposals

    Refusals(const ArrowKnowledge& known, const Cpdag<W>& g) : restriction(known, g) {}

    template <class A>
    void state(A& a) {
        a(refused, is_listed_);
    }

    // After graph.apply(op): returns false, and takes the move back, if the class disagrees.
    bool follow(Cpdag<W>& graph, const Operator<W>& op) {
        if (restriction.follow(graph)) return true;
        undo(graph, op);
        ++refused;
        return false;
    }
    // Whether a move would be refused.
    bool refuses(Cpdag<W>& graph, const Operator<W>& op) {
        std::swap(graph.changes, changes_);  // of the last jump
        graph.apply(op);
        const bool accepted = restriction.accepts(graph);
        undo(graph, op);
        std::swap(graph.changes, changes_);
        return !accepted;
    }

    // On arrival: whether kTrials operators, drawn in proportion to their rates, are all refused. `draw` is given
    // whether to insert, and a position in [0, 1).
    template <class Draw>
    bool refuses_all_trials(Cpdag<W>& graph, const Rates& rates, Rng& rng, Draw&& draw) {
        const double both = rates.insert + rates.remove;
        if (!(both > 0)) return false;
        for (int i = 0; i < kTrials; ++i) {
            const double u = rng.uniform() * both;
            const bool insert = u < rates.insert;
            const double share = insert ? u / rates.insert : (u - rates.insert) / rates.remove;
            if (!refuses(graph, draw(insert, std::min(share, 0x1.fffffffffffffp-1)).op)) return false;
        }
        return true;
    }
    // Lists the operators of the present class, and returns their rates.
    template <class Target>
    Rates list(Cpdag<W>& graph, Target& target) {
        listed_.find([&](auto&& f) { target.each_difference(graph, f); },
                     [&](const Operator<W>& op) { return !refuses(graph, op); });
        is_listed_ = true;
        return listed_.rates();
    }
    void unlist() { is_listed_ = false; }
    // The operators of the present class, or null if they are not listed.
    const ListedOperators<W>* listed() const { return is_listed_ ? &listed_ : nullptr; }

  private:
    bool is_listed_ = false;
    ListedOperators<W> listed_;
    std::vector<PairChange> changes_;  // working space

    // After a move the neighbors above y are the clique of the inverse operator.
    static void undo(Cpdag<W>& graph, const Operator<W>& op) {
        graph.apply({!op.insert, op.x, op.y, graph.above[op.y]});
    }
};

}  // namespace czz
