// From matrices to classes: completes DAGs and PDAGs, checks CPDAGs, and says why a matrix is none of these.
#pragma once
#include "graph/cpdag.hpp"
#include <optional>
#include <string>
#include <variant>

namespace czz {

// A kind and the nodes that show it; the kinds are listed in _core.pyi.
struct Flaw {
    std::string kind;
    std::vector<int> nodes;
};

// A graph with arrows and lines, not yet checked.
template <int W>
struct Mixed {
    using B = Bits<W>;
    int n;
    std::vector<B> pa, ch, ne;

    Mixed(int n_, const std::uint8_t* m) : n(n_), pa(std::size_t(n_)), ch(std::size_t(n_)), ne(std::size_t(n_)) {
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j) {
                if (!m[std::size_t(i) * n + j]) continue;
                if (m[std::size_t(j) * n + i]) {
                    ne[i].set(j);
                } else {
                    ch[i].set(j);
                    pa[j].set(i);
                }
            }
    }
    std::optional<Flaw> self_loop() const {
        for (int v = 0; v < n; ++v)
            if (ne[v].test(v)) return Flaw{"self_loop", {v}};
        return {};
    }
    std::optional<Flaw> undirected() const {
        for (int v = 0; v < n; ++v)
            if (ne[v].any()) return Flaw{"undirected", {v, ne[v].first()}};
        return {};
    }
};

// The nodes in a topological order, or a directed cycle.
template <int W>
std::variant<std::vector<int>, Flaw> topological_order(const std::vector<Bits<W>>& pa, const std::vector<Bits<W>>& ch) {
    const int n = int(pa.size());
    std::vector<int> order, waiting(pa.size());
    for (int v = 0; v < n; ++v)
        if ((waiting[v] = pa[v].count()) == 0) order.push_back(v);
    for (std::size_t i = 0; i < order.size(); ++i)
        ch[order[i]].each([&](int c) {
            if (--waiting[c] == 0) order.push_back(c);
        });
    if (int(order.size()) == n) return order;
    // Walks from parent to waiting parent until a node repeats.
    std::vector<int> walk, seen(pa.size(), -1);
    int v = 0;
    while (waiting[v] == 0) ++v;
    while (seen[v] < 0) {
        seen[v] = int(walk.size());
        walk.push_back(v);
        int next = -1;
        pa[v].each([&](int u) {
            if (next < 0 && waiting[u] > 0) next = u;
        });
        v = next;
    }
    return Flaw{"cycle", {walk.rbegin(), walk.rend() - seen[v]}};
}

// Makes g, which has no edges and an order, the class of the DAG that joins any two nodes: one component, no arrows.
template <int W>
void join_all(Cpdag<W>& g) {
    Bits<W> before;
    for (int v : g.order) {
        g.above[v] = g.dag_pa[v] = before;
        before.set(v);
        g.dag_ch[v] = g.all - before;
        g.comp[v] = g.ne[v] = g.all;
        g.ne[v].reset(v);
        g.degree[v] = g.n - 1;
    }
    g.edges = int(pair_index(0, g.n));
    for (u64 pair = 0; pair < u64(g.edges); ++pair) g.hash.toggle(pair, kLine);
}

// The class of a DAG, in time linear in the size of the graph (times the number of words of a set).
template <int W>
Cpdag<W> complete_dag(const std::vector<Bits<W>>& parents, const std::vector<int>& order) {
    using B = Bits<W>;
    Cpdag<W> g(int(parents.size()));
    g.order = order;
    bool all_joined = g.n > 1;
    for (int i = 0; i < g.n; ++i) {
        g.place[order[i]] = i;
        all_joined = all_joined && parents[order[i]].count() == i;
    }
    if (all_joined) {
        join_all(g);
        return g;
    }
    for (int v : order) {
        int last = std::max(parents[v].first(), 0);  // the last parent in the order has no children among the others
        parents[v].each([&](int u) { last = g.place[u] > g.place[last] ? u : last; });
        g.label_from(last, v, parents[v], g.pa[v], g.above[v]);
        const B P = g.dag_pa[v] = parents[v];
        P.each([&](int u) {
            g.dag_ch[u].set(v);
            const bool arrow = g.pa[v].test(u);
            if (arrow) {
                g.ch[u].set(v);
            } else {
                g.ne[u].set(v);
                g.ne[v].set(u);
            }
            g.hash.toggle(pair_index(std::min(u, v), std::max(u, v)), !arrow ? kLine : u < v ? kForward : kBackward);
            ++g.degree[u];
        });
        g.degree[v] += P.count();
        g.edges += P.count();
    }
    for (int i = g.n; i-- > 0;) {
        const int v = order[i];
        B left = g.ch[v];
        for (int c; (c = left.first()) >= 0;) {
            g.desc[v] |= g.desc[c];
            left -= g.desc[c];
        }
    }
    g.regroup(g.all);
    return g;
}

// The saved state of a class: its DAG with the order, and the pairs that the last move changed. The rest follows.
template <int W, class A>
void graph_state(Cpdag<W>& g, A& a) {
    std::vector<Bits<W>> dag(g.size());
    for (int v = 0; v < g.n; ++v) dag[v] = g.dag_pa[v];
    std::vector<int> order = g.order;
    std::vector<PairChange> changes = g.changes;
    a(dag, order, changes);
    if constexpr (A::kLoads) {
        a.check(dag.size() == g.size() && order.size() == g.size());
        Bits<W> before;
        for (int v : order) {
            a.check(v >= 0 && v < g.n && !before.test(v) && subset(dag[v], before));
            before.set(v);
        }
        for (const PairChange& c : changes)
            a.check(c.a >= 0 && c.a < c.b && c.b < g.n && c.before <= kLine && c.after <= kLine);
        g = complete_dag(dag, order);
        g.changes = std::move(changes);
    }
}

template <int W>
std::variant<Cpdag<W>, Flaw> from_dag(const Mixed<W>& m) {
    if (auto f = m.self_loop()) return *f;
    if (auto f = m.undirected()) return *f;
    auto order = topological_order(m.pa, m.ch);
    if (auto* f = std::get_if<Flaw>(&order)) return *f;
    return complete_dag(m.pa, std::get<std::vector<int>>(order));
}

// Dor & Tarsi (1992): repeatedly remove a node without children whose neighbors are all adjacent to all nodes adjacent
// to it; its remaining edges point at it. Only nodes adjacent to a removed one are examined again.
template <int W>
std::variant<Cpdag<W>, Flaw> from_pdag(const Mixed<W>& m) {
    using B = Bits<W>;
    if (auto f = m.self_loop()) return *f;
    auto acyclic = topological_order(m.pa, m.ch);
    if (auto* f = std::get_if<Flaw>(&acyclic)) return *f;
    const int n = m.n;
    std::vector<B> pa = m.pa, ch = m.ch, ne = m.ne, dag(pa.size());
    std::vector<int> taken;
    auto is_sink = [&](int v) {
        if (ch[v].any()) return false;
        const B joined = pa[v] | ne[v];
        bool ok = true;
        ne[v].each([&](int u) {
            B others = joined;
            others.reset(u);
            ok = ok && subset(others, pa[u] | ch[u] | ne[u]);
        });
        return ok;
    };
    B left = B::first_n(n), look = left;
    for (int v; (v = look.first()) >= 0;) {
        look.reset(v);
        if (!is_sink(v)) continue;
        dag[v] = pa[v] | ne[v];
        pa[v].each([&](int u) { ch[u].reset(v); });
        ne[v].each([&](int u) { ne[u].reset(v); });
        left.reset(v);
        taken.push_back(v);
        look |= dag[v];
        pa[v] = ne[v] = B{};
    }
    if (left.any()) return Flaw{"no_extension", {}};
    std::reverse(taken.begin(), taken.end());
    return complete_dag(dag, taken);
}

// A chordless cycle of at least four nodes in the undirected part, if there is one: for some node v of it, a path
// outside the neighborhood of v joins two non-adjacent neighbors of v, and a shortest such path has no chord.
template <int W>
std::optional<Flaw> chordless_cycle(const std::vector<Bits<W>>& ne) {
    using B = Bits<W>;
    const int n = int(ne.size());
    for (int v = 0; v < n; ++v) {
        B outside = B::first_n(n) - ne[v];
        outside.reset(v);
        while (outside.any()) {
            B C = B::one(outside.first()), front = C, touched;
            for (int u; (u = front.first()) >= 0;) {
                front.reset(u);
                touched |= ne[u] & ne[v];
                const B fresh = (ne[u] & outside) - C;
                C |= fresh;
                front |= fresh;
            }
            outside -= C;
            int a = -1, b = -1;
            touched.each([&](int u) {
                B missing = touched - ne[u];
                missing.reset(u);
                if (a < 0 && missing.any()) {
                    a = u;
                    b = missing.first();
                }
            });
            if (a < 0) continue;
            std::vector<int> from(ne.size(), -1), queue{a};  // breadth first from a to b through C
            for (std::size_t i = 0; from[b] < 0; ++i) {
                B next = ne[queue[i]] & C;
                if (ne[queue[i]].test(b)) next.set(b);
                next.each([&](int t) {
                    if (from[t] >= 0 || t == a) return;
                    from[t] = queue[i];
                    queue.push_back(t);
                });
            }
            std::vector<int> cycle{v};
            for (int t = b; t >= 0; t = t == a ? -1 : from[t]) cycle.push_back(t);
            return Flaw{"chordless", cycle};
        }
    }
    return {};
}

// A graph with these lines, each component in the order of a search from its first node.
template <int W>
Cpdag<W> order_lines(const std::vector<Bits<W>>& ne) {
    Cpdag<W> g(int(ne.size()));
    g.ne = ne;
    g.regroup(g.all);
    Bits<W> todo = g.all;
    for (int v; (v = todo.first()) >= 0; todo -= g.comp[v]) g.search_component(v, Bits<W>{});
    return g;
}

// The class of the DAG with these arrows, in which lines lead from the neighbors `above`.
template <int W>
Cpdag<W> complete_with_above(const std::vector<Bits<W>>& pa, const std::vector<Bits<W>>& above) {
    std::vector<Bits<W>> dag(pa.size()), below(pa.size());
    for (std::size_t v = 0; v < pa.size(); ++v) {
        dag[v] = pa[v] | above[v];
        dag[v].each([&](int u) { below[u].set(int(v)); });
    }
    return complete_dag(dag, std::get<std::vector<int>>(topological_order(dag, below)));
}

// Accepts exactly the CPDAGs (Andersson, Madigan & Perlman 1997, Theorem 4.1): no directed cycle, the same parents for
// all nodes of a component, chordal components, every arrow compelled.
template <int W>
std::variant<Cpdag<W>, Flaw> from_cpdag(const Mixed<W>& m) {
    using B = Bits<W>;
    if (auto f = m.self_loop()) return *f;
    auto acyclic = topological_order(m.pa, m.ch);
    if (auto* f = std::get_if<Flaw>(&acyclic)) return *f;

    for (int u = 0; u < m.n; ++u)
        for (int v : m.ne[u].list()) {
            const B extra = m.pa[u] - m.pa[v];
            if (extra.any()) return Flaw{"parents", {extra.first(), u, v}};
        }

    const Cpdag<W> g = order_lines(m.ne);
    for (int v = 0; v < m.n; ++v) {  // the order is perfect if the neighbors above every node are a clique
        bool clique = true;
        g.above[v].each([&](int u) {
            B others = g.above[v];
            others.reset(u);
            clique = clique && subset(others, m.ne[u]);
        });
        if (!clique) return *chordless_cycle(m.ne);
    }
    Cpdag<W> done = complete_with_above(m.pa, g.above);
    for (int v = 0; v < m.n; ++v) {
        const B extra = m.pa[v] - done.pa[v];
        if (extra.any()) return Flaw{"not_compelled", {extra.first(), v}};
    }
    return done;
}

// The same class, with a member DAG that depends on the class alone and not on the path that led to it.
template <int W>
Cpdag<W> canonical(const Cpdag<W>& g) {
    return complete_with_above(g.pa, order_lines(g.ne).above);
}

}  // namespace czz
