// Maximal ancestral graphs (MAGs) of few nodes as bitsets, and whether a change of one pair leads to another one.
//
// A MAG is what remains of a causal DAG when variables are hidden (Richardson & Spirtes 2002): x -> y says that x is an
// ancestor of y, x <-> y that neither is an ancestor of the other, and nodes that are not joined are separated by some
// set of the others. Without selection there are no other edges. Such a mixed graph is *ancestral* if it has no
// directed cycle and no x <-> y with x an ancestor of y, and *maximal* if no inducing path joins two nodes that no edge
// joins.
#pragma once
#include "base/hash.hpp"

namespace czz {

using MagSet = u32;
constexpr int kMostMagNodes = 20;

constexpr MagSet only(int v) { return MagSet(1) << v; }
constexpr MagSet up_to(int v) { return (only(v) << 1) - 1; }  // the nodes 0 ... v
template <class F>
[[gnu::always_inline]] inline void each_node(MagSet set, F&& f) {
    for (; set; set &= set - 1) f(std::countr_zero(set));
}
inline int nth_node(MagSet set, int k) {
    while (k-- > 0) set &= set - 1;
    return std::countr_zero(set);
}
inline u64 add_to_hash(u64 hash, u64 word, int place) {
    return mix64(hash ^ word) + 0x9E3779B97F4A7C15ull * u64(place + 1);
}

// Of a pair x < y.
enum PairState : std::uint8_t {
    kApart = 0,
    kForth = 1 /* x -> y */,
    kBack = 2 /* y -> x */,
    kSpouses = 3 /* x <-> y */
};

struct Mag {
    int n = 0;
    std::array<MagSet, kMostMagNodes> parents{}, children{}, spouses{};
    std::array<MagSet, kMostMagNodes> ancestors{}, descendants{};  // each node is in its own

    explicit Mag(int nodes) : n(nodes) {
        for (int v = 0; v < n; ++v) ancestors[at(v)] = descendants[at(v)] = only(v);
    }

    static std::size_t at(int v) { return std::size_t(v); }
    MagSet all() const { return up_to(n - 1); }
    MagSet heads_at(int v) const { return parents[at(v)] | spouses[at(v)]; }  // nodes whose edge has an arrowhead at v
    MagSet heads_from(int v) const { return children[at(v)] | spouses[at(v)]; }
    MagSet adjacent(int v) const { return heads_at(v) | children[at(v)]; }
    bool is_ancestor(int a, int v) const { return ancestors[at(v)] >> a & 1; }
    PairState state(int x, int y) const {  // x < y
        return children[at(x)] >> y & 1  ? kForth
               : parents[at(x)] >> y & 1 ? kBack
               : spouses[at(x)] >> y & 1 ? kSpouses
                                         : kApart;
    }
    int edge_count() const {
        int ends = 0;
        for (int v = 0; v < n; ++v) ends += 2 * popcount(parents[at(v)]) + popcount(spouses[at(v)]);
        return ends / 2;
    }
    u64 name() const {  // a hash of the graph itself, not of its class
        u64 hash = 0;
        for (int v = 0; v < n; ++v) hash = add_to_hash(hash, u64(parents[at(v)]) << 32 | spouses[at(v)], v);
        return hash;
    }

    // Sets the edge of the pair x < y without looking at ancestors.
    void put(int x, int y, PairState to) {
        const MagSet keep_x = ~only(x), keep_y = ~only(y);
        parents[at(x)] &= keep_y, children[at(x)] &= keep_y, spouses[at(x)] &= keep_y;
        parents[at(y)] &= keep_x, children[at(y)] &= keep_x, spouses[at(y)] &= keep_x;
        if (to == kForth) children[at(x)] |= only(y), parents[at(y)] |= only(x);
        if (to == kBack) parents[at(x)] |= only(y), children[at(y)] |= only(x);
        if (to == kSpouses) spouses[at(x)] |= only(y), spouses[at(y)] |= only(x);
    }
    // Computes ancestors and descendants; false if there is a directed cycle.
    bool close() {
        MagSet done = 0;
        while (done != all()) {
            const MagSet before = done;
            for (int v = 0; v < n; ++v) {
                if (done >> v & 1 || parents[at(v)] & ~done) continue;
                MagSet above = only(v);
                each_node(parents[at(v)], [&](int p) { above |= ancestors[at(p)]; });
                ancestors[at(v)] = above;
                done |= only(v);
            }
            if (done == before) return false;
        }
        for (int v = 0; v < n; ++v) descendants[at(v)] = 0;
        for (int v = 0; v < n; ++v) each_node(ancestors[at(v)], [&](int a) { descendants[at(a)] |= only(v); });
        return true;
    }

    // Whether an inducing path other than the edge x-y joins x and y: all nodes within it are colliders, and ancestors
    // of x or of y.
    bool induced(int x, int y) const {
        const MagSet zone = (ancestors[at(x)] | ancestors[at(y)]) & ~(only(x) | only(y));
        const MagSet last = heads_from(y) & zone;
        MagSet reached = heads_from(x) & zone, fresh = last ? reached : 0;
        while (fresh) {
            if (reached & last) return true;
            MagSet next = 0;
            each_node(fresh, [&](int v) { next |= spouses[at(v)]; });
            fresh = next & zone & ~reached;
            reached |= fresh;
        }
        return false;
    }
    bool is_ancestral() const {  // ancestors are known
        for (int v = 0; v < n; ++v)
            if (spouses[at(v)] & (ancestors[at(v)] | descendants[at(v)])) return false;
        return true;
    }
    bool is_maximal() const {
        MagSet with_spouses = 0;
        for (int v = 0; v < n; ++v)
            if (spouses[at(v)]) with_spouses |= only(v);
        for (int x = 0; x < n && with_spouses; ++x) {
            if (!(heads_from(x) & with_spouses)) continue;  // an inducing path begins x -> v <-> or x <-> v
            for (MagSet others = all() & ~adjacent(x) & ~up_to(x); others; others &= others - 1)
                if (induced(x, std::countr_zero(others))) return false;
        }
        return true;
    }
    bool is_valid() { return close() && is_ancestral() && is_maximal(); }

    // Changes the pair x < y. If the result is no MAG, returns false and leaves the graph unspecified.
    //
    // Deletion: a subgraph has no new inducing paths, and without x-y the set of ancestors of x or y is the same, so
    // only x and y themselves can be joined by one. Otherwise ancestry is checked at the pair, inducing paths
    // everywhere.
    bool change(int x, int y, PairState to) {
        const PairState from = state(x, y);
        if (from == to) return true;
        if (to == kApart && induced(x, y)) return false;
        if (from != kApart) {
            put(x, y, kApart);
            if (from != kSpouses) close();
        }
        if (to == kApart) return true;
        if (to == kSpouses) {
            if (is_ancestor(x, y) || is_ancestor(y, x)) return false;
            put(x, y, to);
            return is_maximal();
        }
        const int tail = to == kForth ? x : y, head = to == kForth ? y : x;
        if (is_ancestor(head, tail)) return false;
        const MagSet above = ancestors[at(tail)], below = descendants[at(head)];
        bool spouses_become_kin = false;
        each_node(above, [&](int a) { spouses_become_kin |= (spouses[at(a)] & below) != 0; });
        if (spouses_become_kin) return false;
        put(x, y, to);
        each_node(below, [&](int v) { ancestors[at(v)] |= above; });
        each_node(above, [&](int v) { descendants[at(v)] |= below; });
        return is_maximal();
    }

    // The nodes of `zone` that paths of <-> within it join to v, and v.
    MagSet district(int v, MagSet zone) const {
        MagSet reached = only(v), fresh = reached;
        while (fresh) {
            MagSet next = 0;
            each_node(fresh, [&](int u) { next |= spouses[at(u)]; });
            fresh = next & zone & ~reached;
            reached |= fresh;
        }
        return reached;
    }
    MagSet district(int v) const { return spouses[at(v)] ? district(v, all()) : only(v); }
};

// A graph travels as a row of n (n - 1) / 2 states, of the pairs x < y in the order (0, 1), (0, 2), ..., (1, 2), ...
inline int pair_count(int n) { return n * (n - 1) / 2; }
inline Mag mag_of(int n, const std::uint8_t* states) {  // its ancestors are known unless it has a directed cycle
    Mag g(n);
    for (int x = 0; x < n; ++x)
        for (int y = x + 1; y < n; ++y) g.put(x, y, PairState(*states++));
    g.close();
    return g;
}
inline void write_states(const Mag& g, std::uint8_t* states) {
    for (int x = 0; x < g.n; ++x)
        for (int y = x + 1; y < g.n; ++y) *states++ = g.state(x, y);
}

}  // namespace czz
