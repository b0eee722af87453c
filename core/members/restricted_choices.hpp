// The parent sets of a node over the orientations of a bucket with arrows (members/splitting.hpp).
//
// With all edges at x oriented and Meek's rules applied, the nodes below x are the same in all members: if v is below x
// and v - u is left, let p -> v be the last arrow on the way. By the first two rules p is a parent of u as well, or
// p - u is a line, and the same holds for p; x itself has no line.
#pragma once
#include "base/math.hpp"
#include "members/members.hpp"

namespace czz {

// A choice of K for a node of a component; nodes are numbers in the component.
template <int W>
struct ParentChoice {
    Bits<W> parents, below;
    double share;
};

// All cliques among the nodes `around`, the empty one first; `adjacent(v)` are the nodes that v is adjacent to. Returns
// an empty list if there are more than `most`.
template <int W, class Adjacent>
std::vector<Bits<W>> cliques_among(const Bits<W>& around, u64 most, Adjacent&& adjacent) {
    using B = Bits<W>;
    std::vector<B> cliques{B{}}, later{around};  // later: nodes that extend the clique, after its last node
    for (std::size_t i = 0; i < cliques.size(); ++i) {
        B rest = later[i];
        for (int v; (v = rest.first()) >= 0;) {
            rest.reset(v);
            B larger = cliques[i];
            larger.set(v);
            cliques.push_back(std::move(larger));
            later.push_back(rest & adjacent(v));
        }
        if (cliques.size() > most) return {};
    }
    return cliques;
}

// All choices of the neighbors K of x that point at x, beside the arrows of the bucket. Returns an empty list if there
// are more than `most`. Throws TooManySplits.
template <int W>
std::vector<ParentChoice<W>> restricted_choices(const Component& bucket, int x, u64 most) {
    using B = Bits<W>;
    const std::size_t k = bucket.nodes.size();
    std::vector<B> pa(k), ch(k), ne(k);
    for (auto [a, b] : bucket.arrows) {
        pa[std::size_t(b)].set(a);
        ch[std::size_t(a)].set(b);
    }
    for (auto [a, b] : bucket.lines) {
        ne[std::size_t(a)].set(b);
        ne[std::size_t(b)].set(a);
    }
    Orienting<W> whole(k);
    for (std::size_t v = 0; v < k; ++v) whole.begin_node(int(v), pa[v], ch[v], ne[v]);

    const B& around = ne[std::size_t(x)];
    std::vector<ParentChoice<W>> choices;
    double highest = kMinusInf, sum = 0;
    const auto adjacent = [&](int v) { return pa[std::size_t(v)] | ch[std::size_t(v)] | ne[std::size_t(v)]; };
    for (const B& K : cliques_among(around, most, adjacent)) {
        Orienting<W> graph = whole;
        bool possible = true;
        K.each([&](int u) { possible = possible && graph.orient(u, x); });
        (around - K).each([&](int w) { possible = possible && graph.orient(x, w); });
        if (!possible) continue;
        Pairs arrows, lines;
        for (std::size_t v = 0; v < k; ++v) {
            graph.pa[v].each([&](int u) { arrows.emplace_back(u, int(v)); });
            (graph.ne[v] & B::first_n(int(v))).each([&](int u) { lines.emplace_back(u, int(v)); });
        }
        B below = graph.ch[std::size_t(x)], front = below;
        for (int v; (v = front.first()) >= 0;) {
            front.reset(v);
            const B fresh = graph.ch[std::size_t(v)] - below;
            below |= fresh;
            front |= fresh;
        }
        choices.push_back({K, std::move(below), Members(int(k), std::move(arrows), lines).count().log()});
        highest = std::max(highest, choices.back().share);
    }
    for (auto& c : choices) sum += c.share = std::exp(c.share - highest);
    for (auto& c : choices) c.share /= sum;
    return choices;
}

}  // namespace czz
