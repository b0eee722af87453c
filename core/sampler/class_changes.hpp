// What differs between two classes; classes as lists of nodes, and sets of nodes from lists.
#pragma once
#include "target/restriction.hpp"

namespace czz {

// After `now` took the place of another class: lists all pairs that differ in now.changes.
template <int W>
void list_changes(const Cpdag<W>& was, Cpdag<W>& now) {
    now.changes.clear();
    for (int b = 0; b < now.n; ++b) {
        const Bits<W> moved = (was.pa[b] ^ now.pa[b]) | (was.ch[b] ^ now.ch[b]) | (was.ne[b] ^ now.ne[b]);
        (moved & Bits<W>::first_n(b)).each([&](int a) {
            now.changes.push_back({a, b, was.mark(a, b), now.mark(a, b)});
        });
    }
    now.reshaped = now.all;
}

template <int W>
void fill_list(std::vector<int>& list, const Bits<W>& set) {
    list.clear();
    set.each([&](int v) { list.push_back(v); });
}

// Lists the parents and the neighbors of each node of a class, with what knowledge orients, if there is any.
template <int W>
void list_class(const Cpdag<W>& g, Restriction<W>* restriction, std::vector<std::vector<int>>& arrows,
                std::vector<std::vector<int>>& lines) {
    arrows.resize(g.size());
    lines.resize(g.size());
    for (int v = 0; v < g.n; ++v) {
        fill_list(arrows[std::size_t(v)], g.pa[v]);
        fill_list(lines[std::size_t(v)], g.ne[v]);
    }
    if (restriction) restriction->orient_lists(g, arrows, lines);
}

// The changes of several operators, one after the other, as those of all together: one per pair, if its mark changed.
inline void merge_changes(std::vector<PairChange>& changes) {
    auto pair = [](const PairChange& c) { return pair_index(c.a, c.b); };
    std::stable_sort(changes.begin(), changes.end(),
                     [&](const PairChange& c, const PairChange& d) { return pair(c) < pair(d); });
    std::size_t kept = 0;
    for (std::size_t i = 0; i < changes.size(); ++i)
        if (kept > 0 && pair(changes[kept - 1]) == pair(changes[i])) changes[kept - 1].after = changes[i].after;
        else changes[kept++] = changes[i];
    changes.resize(kept);
    std::erase_if(changes, [](const PairChange& c) { return c.before == c.after; });
}

template <int W>
std::vector<Bits<W>> bits_of(const std::vector<std::vector<int>>& lists) {
    std::vector<Bits<W>> out(lists.size());
    for (std::size_t v = 0; v < lists.size(); ++v)
        for (int u : lists[v]) out[v].set(u);
    return out;
}

}  // namespace czz
