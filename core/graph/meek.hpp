// Orients lines of a component of a class, one after another, and all that follows by Meek's rules (1995).
//
// A graph is maximal if every line can point either way in some DAG that has its arrows and no v-structure of its own.
// A component of a class is maximal. Orienting one line of a maximal graph either way and applying the rules gives a
// maximal graph again (Meek 1995, Theorem 4). So a wish to orient a line fails only if no DAG grants it together with
// the wishes before.
//
// The parents of a component are the same for all its nodes, so no rule applies to an arrow that enters or leaves it.
// Within it the third rule (x - u -> y <- w - x, with u and w apart) never applies: u -> y <- w would be a v-structure,
// which the first rule excludes.
#pragma once
#include "base/bits.hpp"
#include <utility>

namespace czz {

template <int W>
class Orienting {
    using B = Bits<W>;
    std::vector<B> around_;  // all adjacent nodes
    std::vector<std::pair<int, int>> todo_;

    [[gnu::noinline]] void point(int a, int b) {
        ne[std::size_t(a)].reset(b);
        ne[std::size_t(b)].reset(a);
        ch[std::size_t(a)].set(b);
        pa[std::size_t(b)].set(a);
        todo_.emplace_back(a, b);
    }
    const B& around(int v) const { return around_[std::size_t(v)]; }

    // All that follows from the new arrow u -> v by one rule.
    void apply_rules(int u, int v) {
        const std::size_t U = std::size_t(u), V = std::size_t(v);
        (ne[V] - around(u)).each([&](int c) { point(v, c); });  // 1: u -> v - c, u and c apart
        (ch[V] & ne[U]).each([&](int c) { point(u, c); });      // 2: u -> v -> c, u - c
        (pa[U] & ne[V]).each([&](int d) { point(d, v); });      // 2: d -> u -> v, d - v
        // 4: d -> c -> b, d and b apart, x - d, x - b, x and c adjacent: x -> b. First with d -> c new, then c -> b.
        (ch[V] - around(u)).each([&](int b) {
            (ne[U] & ne[std::size_t(b)] & around(v)).each([&](int x) { point(x, b); });
        });
        (pa[U] - around(v)).each([&](int d) {
            (ne[std::size_t(d)] & ne[V] & around(u)).each([&](int x) { point(x, v); });
        });
    }

  public:
    std::vector<B> pa, ch, ne;  // within the component

    explicit Orienting(std::size_t n) : around_(n), pa(n), ch(n), ne(n) {}

    // Begins with the lines of a component and no arrow.
    void begin(const B& nodes, const std::vector<B>& neighbors) {
        nodes.each([&](int v) { begin_node(v, B{}, B{}, neighbors[std::size_t(v)]); });
    }
    void begin_node(int v, const B& parents, const B& children, const B& neighbors) {
        const std::size_t V = std::size_t(v);
        pa[V] = parents;
        ch[V] = children;
        ne[V] = neighbors;
        around_[V] = parents | children | neighbors;
    }
    // Orients a -> b. Returns false, and changes nothing, if b -> a has been found.
    bool orient(int a, int b) {
        if (pa[std::size_t(b)].test(a)) return true;
        if (pa[std::size_t(a)].test(b)) return false;
        point(a, b);
        while (!todo_.empty()) {
            const auto [u, v] = todo_.back();
            todo_.pop_back();
            apply_rules(u, v);
        }
        return true;
    }
};

}  // namespace czz
