// Applies an operator to a class, in time proportional to what it changes.
//
// The member DAG gets the clique of the operator as the neighbors above y, x -> y is toggled in it, and the nodes below
// whose edges may be compelled otherwise than before are labelled again (Chickering 1995).
#pragma once
#include "graph/cpdag.hpp"

namespace czz {

// Insert(x, y, T) or Delete(x, y, H) with its clique K of Ne(y); operators.hpp has the relation of K to T and H.
template <int W>
struct Operator {
    bool insert;
    int x, y;
    Bits<W> K;
};

// Applies Insert or Delete with the clique K: toggles x -> y in a member DAG in which K are the neighbors of y that
// are parents of y, and completes it.
template <int W>
void Cpdag<W>::apply(const Operator<W>& op, const std::vector<B>* watched) {
    const auto& [insert, x, y, K] = op;
    if (!(above[y] == K)) reorient(y, K);
    if (insert && place[x] > place[y]) put_before(x, y);
    const int s = insert ? 1 : -1;
    degree[x] += s;
    degree[y] += s;
    edges += s;
    B new_parents, new_neighbors;  // nodes whose parents, neighbors changed
    relabel(x, y, new_parents, new_neighbors);
    const B new_desc = update_descendants(watched);
    B regrouped;
    new_neighbors.each([&](int v) { regrouped |= comp[v]; });
    regroup(regrouped);
    // X(y, K) depends on Pa(y), Ne(y), desc(y) and, through reach, on the component of y and the descendants of
    // its nodes; nothing else of a row depends on the class.
    const B moved = new_parents | new_desc;
    reshaped = new_parents | regrouped;
    dirty = moved | regrouped;
    moved.each([&](int v) {
        if (has_neighbors(v)) dirty |= comp[v];
    });
}

// Makes K the set of neighbors above y, and repairs the topological order.
template <int W>
void Cpdag<W>::reorient(int y, const B& K) {
    search_component(y, K);
    const int k = s_.visited_count;
    int low = n, high = -1;
    for (int i = 0; i < k; ++i) {
        low = std::min(low, place[s_.visited[i]]);
        high = std::max(high, place[s_.visited[i]]);
    }
    int at = low;
    auto put = [&](int v) { order[place[v] = at++] = v; };
    if (high - low + 1 == k) {
        for (int i = 0; i < k; ++i) put(s_.visited[i]);
        return;
    }
    // Makes the component contiguous: nodes that are not below it first, nodes below it last.
    B below;
    for (int i = 0; i < k; ++i) below |= desc[s_.visited[i]];
    s_.tail.clear();
    for (int p = low; p <= high; ++p) {
        const int v = order[p];
        if (comp[y].test(v)) continue;
        if (below.test(v)) s_.tail.push_back(v);
        else put(v);
    }
    for (int i = 0; i < k; ++i) put(s_.visited[i]);
    for (int v : s_.tail) put(v);
}

// x comes after y in the order: moves y, and the nodes below y in between, behind x.
template <int W>
void Cpdag<W>::put_before(int x, int y) {
    B behind = B::one(y);
    int at = place[y];
    const int end = place[x];
    s_.tail.assign(1, y);
    for (std::size_t i = 0; i < s_.tail.size(); ++i)
        (dag_ch[s_.tail[i]] - behind).each([&](int v) {
            if (place[v] > end) return;
            behind.set(v);
            s_.tail.push_back(v);
        });
    s_.tail.clear();
    for (int p = at; p <= end; ++p) {
        const int v = order[p];
        if (behind.test(v)) s_.tail.push_back(v);
        else order[place[v] = at++] = v;
    }
    for (int v : s_.tail) order[place[v] = at++] = v;
}

// Toggles x -> y in the DAG and labels again, in topological order, the nodes whose input changed.
template <int W>
void Cpdag<W>::relabel(int x, int y, B& new_parents, B& new_neighbors) {
    changes.clear();
    B todo;  // over places in the order
    dag_pa[y].flip(x);
    dag_ch[x].flip(y);
    int v = y;
    for (bool first = true;; first = false) {
        B compelled, reversible;
        label(v, dag_pa[v], compelled, reversible);
        const B arrows = pa[v] ^ compelled, lines = above[v] ^ reversible;
        const bool moved = arrows.any();
        (arrows | lines).each([&](int b) { record(b, v, compelled.test(b), reversible.test(b)); });
        if (moved) {
            arrows.each([&](int b) {
                ch[b].flip(v);
                if constexpr (kManyWords<W>) lists_[b].ch.changed();
                if (compelled.test(b)) {
                    s_.gained.push_back({b, v});
                } else {
                    s_.lost[b] |= desc[v];
                    s_.touched.set(place[b]);
                }
            });
            pa[v] = compelled;
            if constexpr (kManyWords<W>) lists_[v].pa.changed();
            new_parents.set(v);
        }
        if (lines.any()) {
            lines.each([&](int b) {
                ne[b].flip(v);
                ne[v].flip(b);
                if constexpr (kManyWords<W>) lists_[b].ne.changed();
                new_neighbors.set(b);
            });
            if constexpr (kManyWords<W>) lists_[v].ne.changed();
            above[v] = reversible;
            new_neighbors.set(v);
        }
        if (moved || first) {
            // The label of a child c depends on v only if v is its last parent: not if v -> u -> c.
            B direct = dag_ch[v];
            for (B rest = direct; rest.any();) {
                const int u = rest.first();
                rest.reset(u);
                rest -= dag_ch[u];
                direct -= dag_ch[u];
            }
            direct.each([&](int c) { todo.set(place[c]); });
        }
        const int next = todo.first();
        if (next < 0) break;
        todo.reset(next);
        v = order[next];
    }
}

template <int W>
void Cpdag<W>::record(int b, int v, bool compelled, bool reversible) {
    const Mark arrow = b < v ? kForward : kBackward;
    const Mark before = pa[v].test(b) ? arrow : above[v].test(b) ? kLine : kNone;
    const Mark after = compelled ? arrow : reversible ? kLine : kNone;
    const int low = std::min(b, v), high = std::max(b, v);
    const u64 pair = pair_index(low, high);
    hash.toggle(pair, before);
    hash.toggle(pair, after);
    changes.push_back({low, high, before, after});
}

// Updates desc above the arrows that were added and removed; returns the nodes whose desc changed, of those in whose
// component one is watched. First the added ones: every node above b -> v gains desc(v); the search stops at nodes that
// have it already. Only the words in which desc(v) has members are read: of wide sets these are few.
template <int W>
Bits<W> Cpdag<W>::update_descendants(const std::vector<B>* watched) {
    B changed, fresh;
    Span<W>& span = s_.span;
    auto report = [&](int u, const B& nodes) {
        bool seen = !watched || span.meet((*watched)[u], nodes);
        if (!seen && has_neighbors(u)) comp[u].each([&](int v) { seen = seen || span.meet((*watched)[v], nodes); });
        if (seen) changed.set(u);
    };
    for (auto [b, v] : s_.gained) {
        const B& below = desc[v];
        span.clear();
        span.add(below);
        auto gain = [&](int u) {
            if (!span.subtract(fresh, below, desc[u])) return;
            span.unite(desc[u], fresh);
            report(u, fresh);
            s_.tail.push_back(u);
        };
        s_.tail.clear();
        gain(b);
        while (!s_.tail.empty()) {
            const int u = s_.tail.back();
            s_.tail.pop_back();
            each_parent(u, gain);
        }
    }
    s_.gained.clear();
    // Then the removed ones, children before parents: `lost` are the nodes that may no longer be below v; those
    // that are below none of its children are lost.
    if constexpr (kManyWords<W>) {
        span.clear();
        s_.touched.each([&](int p) { span.add(s_.lost[order[p]]); });
    }
    for (int p = 64 * s_.touched.words(); (p = s_.touched.last_below(p)) >= 0;) {
        s_.touched.reset(p);
        const int v = order[p];
        B& loss = fresh;
        bool some = span.intersect(loss, desc[v], s_.lost[v]);
        span.clear(s_.lost[v]);
        if constexpr (kManyWords<W>) {
            each_child(v, [&](int c) { some = some && span.subtract(loss, loss, desc[c]); });
        } else {  // children below c take nothing more away; of dense graphs these are most
            B children = ch[v];
            for (int c; some && (c = children.first()) >= 0;) {
                some = span.subtract(loss, loss, desc[c]);
                children -= desc[c];
            }
        }
        if (!some) continue;
        span.subtract(desc[v], desc[v], loss);
        report(v, loss);
        each_parent(v, [&](int u) {
            span.unite(s_.lost[u], loss);
            s_.touched.set(place[u]);
        });
    }
    return changed;
}

}  // namespace czz
