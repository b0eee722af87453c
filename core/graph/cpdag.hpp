// A class: its CPDAG, one member DAG with a topological order, components and descendants.
//
// Facts about CPDAGs used throughout (Andersson, Madigan & Perlman 1997): the nodes of a component have the same
// parents; components are chordal; contracting them leaves a DAG. So a semi-directed path that uses an arrow can be
// shortened to a directed path followed by lines, and the member DAGs are the orientations of every component along
// a perfect elimination order, independently.
#pragma once
#include "base/hash.hpp"
#include "base/span.hpp"
#include "graph/max_cardinality_search.hpp"

namespace czz {

// How the pair a < b is joined; also the code of a pair in hashes, deltas and accumulators.
enum Mark : std::uint8_t { kNone = 0, kForward = 1, kBackward = 2, kLine = 3 };  // -, a -> b, b -> a, a - b

inline u64 pair_index(int a, int b) { return u64(b) * u64(b - 1) / 2 + u64(a); }  // a < b

struct PairChange {
    int a, b;  // a < b
    Mark before, after;

    template <class A>
    void state(A& archive) {
        archive(a, b, before, after);
    }
};

// The 128-bit hash of a class: the exclusive or of one random word per edge (Zobrist), so a move updates it in time
// proportional to the number of changed pairs.
struct ClassHash {
    u64 lo = 0, hi = 0;
    void toggle(u64 pair, Mark m) {
        if (m == kNone) return;
        const u64 code = 4 * pair + m;
        lo ^= mix64((code + 1) * 0x9E3779B97F4A7C15ull);
        hi ^= mix64((code + 1) * 0xD1B54A32D192ED03ull + 0x8CB92BA72F3D8DD7ull);
    }
    friend bool operator==(const ClassHash&, const ClassHash&) = default;

    template <class A>
    void state(A& a) {
        a(lo, hi);
    }
};

template <int W>
struct Operator;

template <int W>
struct Cpdag {
    using B = Bits<W>;

    int n, edges = 0;
    B all;
    std::vector<B> pa, ch, ne;      // Pa, Ch, Ne
    std::vector<B> above;           // the neighbors that are parents in the member DAG
    std::vector<B> dag_pa, dag_ch;  // parents and children in the member DAG
    std::vector<B> desc;            // nodes below by directed paths, with the node itself
    std::vector<B> comp;            // component, with the node itself
    std::vector<int> order, place;  // a topological order of the member DAG, and its inverse
    std::vector<int> degree;
    ClassHash hash;

    // Effects of the last operator: the rows y whose operators may have changed; those among them whose parents,
    // neighbors or component may have changed; and the pairs that changed.
    B dirty, reshaped;
    std::vector<PairChange> changes;

    explicit Cpdag(int n_)
        : n(n_), all(B::first_n(n_)), pa(size()), ch(size()), ne(size()), above(size()), dag_pa(size()), dag_ch(size()),
          desc(size()), comp(size()), order(size()), place(size()), degree(size()), dirty(all), reshaped(all),
          s_(size()), last_(size()), lists_(kManyWords<W> ? size() : 0) {
        for (int v = 0; v < n; ++v) {
            order[v] = place[v] = v;
            comp[v] = desc[v] = B::one(v);
        }
    }

    std::size_t size() const { return std::size_t(n); }
    B adjacent(int v) const { return pa[v] | ch[v] | ne[v]; }
    Mark mark(int a, int b) const {  // a < b
        return ne[a].test(b) ? kLine : ch[a].test(b) ? kForward : pa[a].test(b) ? kBackward : kNone;
    }

    // Applies a valid operator: apply_operator.hpp. With `watched`, a component of which only the descendants
    // change becomes dirty only if one of these descendants is in watched[v], for some node v of the component.
    void apply(const Operator<W>& op, const std::vector<B>* watched = nullptr);

    template <class F>
    void each_parent(int v, F&& f) {
        if constexpr (kManyWords<W>) lists_[v].pa.each(pa[v], f);
        else pa[v].each(f);
    }
    template <class F>
    void each_child(int v, F&& f) {
        if constexpr (kManyWords<W>) lists_[v].ch.each(ch[v], f);
        else ch[v].each(f);
    }
    bool has_neighbors(int v) {
        if constexpr (kManyWords<W>) return lists_[v].ne.any(ne[v]);
        else return ne[v].any();
    }

    // Split the union of components `nodes` into components.
    void regroup(B nodes) {
        while (nodes.any()) {
            B C = B::one(nodes.first()), front = C;
            for (int u; (u = front.first()) >= 0;) {
                front.reset(u);
                const B fresh = ne[u] - C;
                C |= fresh;
                front |= fresh;
            }
            C.each([&](int v) { comp[v] = C; });
            nodes -= C;
        }
    }

    // The labelling rule (Chickering 1995, as one step per node): which edges from the parents P of v in the DAG are
    // compelled, given the labels of the edges above? Let l be the last parent of v. If an arrow into l comes from
    // outside P, or a member of P is not a parent of l, all edges into v are compelled; else exactly those from the
    // compelled parents of l. Any l without children in P serves: if there are two such nodes, all edges are compelled.
    void label(int v, const B& P, B& compelled, B& reversible) {
        const int first = P.first(), before = last_[v];
        int last = P.test(before) ? before : first;  // mostly unchanged
        if (first < 0) {
            compelled = B{};
            reversible = B{};
            return;
        }
        for (int u; (u = (dag_ch[last] & P).first()) >= 0;) last = u;
        last_[v] = last;
        B others = P;
        others.reset(last);
        if (!subset(pa[last], P) || !subset(others, dag_pa[last])) {
            compelled = P;
            reversible = B{};
        } else {
            compelled = pa[last];
            reversible = P - pa[last];
        }
    }

    // The same, with a search that begins at the parent `likely`; it takes one step if that has no children in P.
    void label_from(int likely, int v, const B& P, B& compelled, B& reversible) {
        last_[v] = likely;
        label(v, P, compelled, reversible);
    }

    // Orients the component of v by a maximum cardinality search that visits the clique K first, then v. Its order is
    // perfect, so no v-structure arises. Leaves the order in s_.visited.
    void search_component(int v, const B& K) {
        const B nodes = comp[v];
        B done;
        s_.visited_count = 0;
        s_.search.begin(nodes);
        auto visit = [&](int u) {
            const B below = ne[u] - done;
            above[u] = ne[u] & done;
            dag_pa[u] = pa[u] | above[u];
            dag_ch[u] = ch[u] | below;
            done.set(u);
            s_.visited[s_.visited_count++] = u;
            s_.search.visit(u, below);
        };
        K.each(visit);
        visit(v);
        while (!(done == nodes)) visit(s_.search.next());
    }

  private:
    // Working space of a move. It is empty between moves, so a copy of the graph allocates its own.
    struct Space {
        MaxCardinalitySearch<W> search;
        std::vector<int> visited, tail;
        int visited_count = 0;
        std::vector<std::pair<int, int>> gained;  // arrows
        std::vector<B> lost;
        B touched;  // places of nodes with pending losses
        Span<W> span;

        explicit Space(std::size_t n) : search(n), visited(n), lost(n) {}
        Space(const Space& o) : Space(o.visited.size()) {}
        Space(Space&&) = default;
        Space& operator=(const Space&) { return *this; }
        Space& operator=(Space&&) = default;
    };
    Space s_;
    std::vector<int> last_;  // where label() begins its search; does not affect the result
    // Of the sets of each node, if they have many words. What builds a graph from others does so before they are used.
    struct Lists {
        ShortList pa, ch, ne;
    };
    std::vector<Lists> lists_;

    // The steps of apply().
    void reorient(int y, const B& K);
    void put_before(int x, int y);
    void relabel(int x, int y, B& new_parents, B& new_neighbors);
    void record(int b, int v, bool compelled, bool reversible);
    B update_descendants(const std::vector<B>* watched);
};

}  // namespace czz
