// Proposals of the sampler of MAGs: changes of one pair, and of two pairs at once.
//
// Insertions and deletions alone connect all MAGs: let y be a node without children that is joined to something, and x
// the first of its neighbours in a topological order. An inducing path from x to y would end v <-> y with v an ancestor
// of x, but none comes before x. So x-y can be deleted, and every MAG leads to the empty graph. Changes of marks, and
// of two pairs, are for speed.
#pragma once
#include "ancestral/mag.hpp"

namespace czz {

struct MagMove {
    int x[2] = {-1, -1}, y[2] = {-1, -1};  // the pairs that change, x < y; the second may be missing
    double log_ratio = 0;                  // of the probabilities of proposing the reverse and this
    bool valid = false;
};

// Shares of the kinds of proposals.
constexpr double kPairsOfPairs = 0.15, kChanges = 0.5;  // the second of the rest; half of what then remains inserts

template <class Random>
class MagProposal {
    Mag& g_;
    Random& random_;

    static MagMove single(int x, int y) { return {{x, -1}, {y, -1}, 0, false}; }
    static PairState other_state(PairState from, int k) { return PairState(k + 1 < from ? k + 1 : k + 2); }

    // The k-th pair x < y that is joined, or that is not.
    MagMove nth_pair(bool joined, int k) const {
        for (int x = 0;; ++x) {
            const MagSet row = (joined ? g_.adjacent(x) : g_.all() & ~g_.adjacent(x)) & ~up_to(x);
            const int size = popcount(row);
            if (k < size) return single(x, nth_node(row, k));
            k -= size;
        }
    }
    MagMove change(int edges) {
        if (!edges) return {};
        MagMove move = nth_pair(true, random_.below(edges));
        const PairState to = other_state(g_.state(move.x[0], move.y[0]), random_.below(2));
        move.valid = g_.change(move.x[0], move.y[0], to);
        return move;
    }
    MagMove insert_or_remove(int edges) {
        const int gaps = pair_count(g_.n) - edges;
        const bool insert = random_.chance(0.5);
        if (insert ? !gaps : !edges) return {};
        MagMove move = nth_pair(!insert, random_.below(insert ? gaps : edges));
        move.log_ratio = insert ? std::log(3.0 * gaps / (edges + 1)) : std::log(edges / (3.0 * (gaps + 1)));
        const PairState to = insert ? PairState(1 + random_.below(3)) : kApart;
        move.valid = g_.change(move.x[0], move.y[0], to);
        return move;
    }
    // Moves one end of an edge, or changes two edges at a node. Both are proposed as often as their reverse: the number
    // of edges, and the nodes that the kept end is joined to, are as many after the move.
    MagMove two_pairs(int edges) {
        int a[2], b[2];
        PairState to[2];
        if (random_.chance(0.5)) {
            if (!edges) return {};
            const MagMove pair = nth_pair(true, random_.below(edges));
            const bool first = random_.chance(0.5);
            a[0] = a[1] = first ? pair.x[0] : pair.y[0];
            b[0] = first ? pair.y[0] : pair.x[0];
            const MagSet free = g_.all() & ~g_.adjacent(a[0]) & ~only(a[0]);
            if (!free) return {};
            b[1] = nth_node(free, random_.below(popcount(free)));
            to[0] = kApart;
            to[1] = PairState(1 + random_.below(3));
        } else {
            a[0] = a[1] = random_.below(g_.n);
            const MagSet near = g_.adjacent(a[0]);
            const int degree = popcount(near);
            if (degree < 2) return {};
            const int i = random_.below(degree), j = random_.below(degree - 1);
            b[0] = nth_node(near, i);
            b[1] = nth_node(near, j < i ? j : j + 1);
            for (PairState& state : to) state = PairState(1 + random_.below(3));
        }
        MagMove move;
        for (int i = 0; i < 2; ++i) {
            move.x[i] = std::min(a[i], b[i]), move.y[i] = std::max(a[i], b[i]);
            // A new state is drawn without regard to which end is first, so it need not be mirrored.
            g_.put(move.x[i], move.y[i], to[i]);
        }
        move.valid = g_.is_valid();
        return move;
    }

  public:
    // Changes g; if the move is not valid, g is left unspecified.
    MagProposal(Mag& g, Random& random) : g_(g), random_(random) {}

    MagMove propose() {
        const int edges = g_.edge_count();
        if (random_.chance(kPairsOfPairs)) return two_pairs(edges);
        return random_.chance(kChanges) ? change(edges) : insert_or_remove(edges);
    }
};

}  // namespace czz
