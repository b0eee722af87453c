// Proposals of the sampler of MAGs: changes of one pair, and of several pairs at once.
//
// Insertions and deletions alone connect all MAGs: let y be a node without children that is joined to something, and x
// the first of its neighbours in a topological order. An inducing path from x to y would end v <-> y with v an ancestor
// of x, but none comes before x. So x-y can be deleted, and every MAG leads to the empty graph. Changes of marks, and
// of two pairs, are for speed.
#pragma once
#include "ancestral/mag.hpp"
#include "base/math.hpp"

namespace czz {

struct MagMove {
    MagSet touched = 0;    // the ends of the pairs that change
    int more = 0;          // edges
    double log_ratio = 0;  // of the probabilities of proposing the reverse and this
    bool valid = false;
};

// Shares of the kinds of proposals: of several pairs; of the rest, of marks of one edge; what then remains is half
// insertions, half deletions. Of those of several pairs: moves of an end; of the rest, exchanges.
constexpr double kSeveral = 0.5, kMarks = 0.5, kEnds = 0.2, kExchanges = 0.3;
constexpr int kMostAtNode = 3;

template <class Random>
class MagProposal {
    Mag& g_;
    Random& random_;

    struct Pair {
        int x, y;  // x < y
        MagSet ends() const { return only(x) | only(y); }
    };
    // The k-th pair that is joined, or that is not.
    Pair nth_pair(bool joined, int k) const {
        for (int x = 0;; ++x) {
            const MagSet row = (joined ? g_.adjacent(x) : g_.all() & ~g_.adjacent(x)) & ~up_to(x);
            const int size = popcount(row);
            if (k < size) return {x, nth_node(row, k)};
            k -= size;
        }
    }
    PairState any_edge() { return PairState(1 + random_.below(3)); }
    // Sets the edge between v and w. What is drawn uniformly need not say which of them is first.
    void put(int v, int w, PairState to) { g_.put(std::min(v, w), std::max(v, w), to); }
    static PairState mirrored(PairState state) { return state == kForth ? kBack : state == kBack ? kForth : state; }
    PairState seen_from(int v, int w) const { return v < w ? g_.state(v, w) : mirrored(g_.state(w, v)); }

    MagMove change_marks(int edges) {
        if (!edges) return {};
        const Pair pair = nth_pair(true, random_.below(edges));
        const PairState from = g_.state(pair.x, pair.y);
        const int k = 1 + random_.below(2);
        return {pair.ends(), 0, 0, g_.change(pair.x, pair.y, PairState(k < from ? k : k + 1))};
    }
    MagMove insert_or_remove(int edges) {
        const int gaps = pair_count(g_.n) - edges;
        const bool insert = random_.chance(0.5);
        if (insert ? !gaps : !edges) return {};
        const Pair pair = nth_pair(!insert, random_.below(insert ? gaps : edges));
        const double log_ratio = insert ? fast_log(3.0 * gaps / (edges + 1)) : fast_log(edges / (3.0 * (gaps + 1)));
        const bool valid = g_.change(pair.x, pair.y, insert ? any_edge() : kApart);
        return {pair.ends(), insert ? 1 : -1, log_ratio, valid};
    }

    // The proposals of several pairs are made as often as their reverses: the number of edges stays, and so do, where a
    // node is kept, the number of nodes that it is joined to, and in the last two cases all adjacencies.

    // Moves one end of an edge.
    MagMove move_end(int edges) {
        if (!edges) return {};
        const Pair pair = nth_pair(true, random_.below(edges));
        const bool first = random_.chance(0.5);
        const int kept = first ? pair.x : pair.y, left = first ? pair.y : pair.x;
        const MagSet free = g_.all() & ~g_.adjacent(kept) & ~only(kept);
        if (!free) return {};
        const int next = nth_node(free, random_.below(popcount(free)));
        put(kept, left, kApart);
        put(kept, next, any_edge());
        return {only(kept) | only(left) | only(next), 0, 0, g_.is_valid()};
    }
    // Draws the marks of two or three edges at a node anew.
    MagMove change_at_node() {
        const int v = random_.below(g_.n);
        MagSet left = g_.adjacent(v), touched = only(v);
        const int degree = popcount(left);
        if (degree < 2) return {};
        for (int k = 2 + random_.below(std::min(degree, kMostAtNode) - 1); k > 0; --k) {
            const int w = nth_node(left, random_.below(popcount(left)));
            put(v, w, any_edge());
            left &= ~only(w);
            touched |= only(w);
        }
        return {touched, 0, 0, g_.is_valid()};
    }
    // Exchanges two joined nodes in their edge and in those with nodes that are joined to both: its own reverse.
    MagMove exchange(int edges) {
        if (!edges) return {};
        const auto [x, y] = nth_pair(true, random_.below(edges));
        const MagSet both = g_.adjacent(x) & g_.adjacent(y);
        put(x, y, mirrored(g_.state(x, y)));
        each_node(both, [&, x = x, y = y](int w) {
            const PairState at_x = seen_from(x, w), at_y = seen_from(y, w);
            put(x, w, x < w ? at_y : mirrored(at_y));
            put(y, w, y < w ? at_x : mirrored(at_x));
        });
        return {both | only(x) | only(y), 0, 0, g_.is_valid()};
    }

  public:
    // Changes g; if the move is not valid, g is left unspecified.
    MagProposal(Mag& g, Random& random) : g_(g), random_(random) {}

    MagMove propose() {
        const int edges = g_.edge_count();
        if (!random_.chance(kSeveral)) return random_.chance(kMarks) ? change_marks(edges) : insert_or_remove(edges);
        if (random_.chance(kEnds)) return move_end(edges);
        return random_.chance(kExchanges) ? exchange(edges) : change_at_node();
    }
};

}  // namespace czz
