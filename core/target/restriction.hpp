// A target restricted to the classes that agree with knowledge: which operators exist, which moves are refused, and the
// arrows that knowledge adds to the present class.
//
// An operator into y toggles x in the parents of y, and its inverse toggles the same x and y. So the operators with
// x -> y forbidden can be left out, inserts and deletes alike: what remains is symmetric. Nothing that agrees is cut
// off, because a DAG that agrees loses its other edges one by one by operators that remain. A class that agrees has all
// required arrows, and deletes of these are left out too. Other moves to classes that disagree are found when they are
// proposed, and refused.
//
// Some are known to be refused. Let y -> x and y -> w be forbidden, and x and w never be joined, such as two conditions
// that may cause y. If w is a neighbor of y outside K, the insert (K, x) leads to a class of DAGs with x -> y -> w. It
// has no collider x -> y <- w, and so no DAG that agrees. Where conditions depend on each other these inserts have high
// rates, so they are left out.
//
// A refused jump of the Zig-Zag (sampler/chain.hpp) reverses d; one of Zanella's process changes nothing. Then (γ, d)
// receives, relative to π(γ), the rate of the inverse moves to it that agree by jumps, that of those that disagree and
// (Λd − Λ₋d)⁺ by flips: together max(Λ₊, Λ₋), the total rate at which it is left. The same holds if some refused
// operators are left out, and if these are chosen at random whenever the chain comes to γ, independently of d: they
// then have the same distribution at (γ, +1) and (γ, −1). So if some random operators are all refused on arrival, the
// chain lists the operators (sampler/listed_operators.hpp).
#pragma once
#include "graph/arrows.hpp"
#include "graph/cpdag.hpp"
#include "graph/meek.hpp"

namespace czz {

// Operators that do not exist: x in insert[y], x in remove[y]. Both are empty vectors if all exist.
template <int W>
struct OperatorMasks {
    std::vector<Bits<W>> insert, remove;
    std::vector<Bits<W>> above, apart;  // y -> v is forbidden: v in above[y]; v and w are never joined: w in apart[v]

    OperatorMasks() = default;
    // `pairs`: nodes that are never joined.
    OperatorMasks(int n, const Pairs& pairs, const ArrowKnowledge* known) {
        if (!pairs.empty() || known) insert.resize(std::size_t(n));
        for (auto [a, b] : pairs) {
            insert[std::size_t(a)].set(b);
            insert[std::size_t(b)].set(a);
        }
        if (!known) return;
        const ArrowRows<W> rows(*known);
        remove.resize(std::size_t(n));
        above = rows.barred_out;
        apart = insert;
        for (std::size_t y = 0; y < std::size_t(n); ++y) {
            apart[y] |= rows.barred_in[y] & rows.barred_out[y];
            insert[y] |= rows.barred_in[y];
            remove[y] = rows.barred_in[y] | rows.needed_in[y];
        }
    }
    // The nodes x whose insert (K, x) into y is known to lead to a class that disagrees, if y has these neighbors
    // outside K.
    Bits<W> disagreeing(int y, const Bits<W>& outside) const {
        Bits<W> out;
        (outside & above[std::size_t(y)]).each([&](int w) { out |= apart[std::size_t(w)]; });
        return out & above[std::size_t(y)];
    }
};

// Follows a class from move to move.
template <int W>
class Restriction {
    using B = Bits<W>;

    ArrowRows<W> rows_;
    Orienting<W> next_;       // of the components that the move changed
    std::vector<B> changed_;  // working space, empty between moves

  public:
    std::vector<B> pa, ch;            // lines of the class that knowledge orients: parents and children
    std::vector<PairChange> changes;  // by the last move, of marks with these orientations

    Restriction(const ArrowKnowledge& known, const Cpdag<W>& g)
        : rows_(known), next_(g.size()), changed_(g.size()), pa(g.size()), ch(g.size()) {
        begin(g);
    }
    // Begins at a class that agrees.
    void begin(const Cpdag<W>& g) {
        for (B& b : pa) b.clear();
        for (B& b : ch) b.clear();
        orient(g, g.all);
        g.all.each([&](int v) { keep(v); });
    }
    Mark mark(const Cpdag<W>& g, int a, int b) const { return with(pa, g.mark(a, b), a, b); }

    // After a move: returns false, and stays at the class before, if the class disagrees. `g.changes` lists the
    // pairs that differ from the class before, and all components that differ consist of nodes in `g.reshaped`.
    bool follow(const Cpdag<W>& g) {
        B region;
        if (!accepts(g, region)) return false;
        list_changes(g, region);
        region.each([&](int v) { keep(v); });
        return true;
    }
    // The same without following.
    bool accepts(const Cpdag<W>& g) {
        B region;
        return accepts(g, region);
    }
    // Whether any class agrees.
    bool agrees(const Cpdag<W>& g) {
        for (int v = 0; v < g.n; ++v) {
            if (meets(g.pa[v], rows_.barred_in[v])) return false;
            if (meets(g.ne[v], rows_.barred_in[v] & rows_.barred_out[v])) return false;
            if (!subset(rows_.needed_in[v], g.pa[v] | g.ne[v])) return false;
        }
        return orient(g, g.all);
    }

    // Adds what knowledge orients to the arrows and lines of a class that agrees, each an ascending list per node of
    // its parents, its neighbors.
    void orient_lists(const Cpdag<W>& g, std::vector<std::vector<int>>& arrows, std::vector<std::vector<int>>& lines) {
        orient(g, g.all);
        for (int v = 0; v < g.n; ++v) {
            const B oriented = next_.pa[v] | next_.ch[v];
            if (next_.pa[v].any()) arrows[std::size_t(v)] = (g.pa[v] | next_.pa[v]).list();
            if (oriented.any()) lines[std::size_t(v)] = (g.ne[v] - oriented).list();
        }
    }

  private:
    bool accepts(const Cpdag<W>& g, B& region) {
        for (const PairChange& c : g.changes)
            if (contradicts(c)) return false;
        g.reshaped.each([&](int v) { region |= g.comp[v]; });
        return orient(g, region);
    }
    bool contradicts(const PairChange& c) const {
        const bool forward = rows_.barred_in[c.b].test(c.a), backward = rows_.barred_in[c.a].test(c.b);
        if (c.after == kNone) return rows_.needed_in[c.b].test(c.a) || rows_.needed_in[c.a].test(c.b);
        return c.after == kLine ? forward && backward : c.after == kForward ? forward : backward;
    }
    // Orients the components of a union of components, in next_. Returns false if one of them disagrees.
    bool orient(const Cpdag<W>& g, const B& region) {
        for (B todo = region; todo.any();) {
            const int v = todo.first();
            const B& nodes = g.comp[v];
            if (!orient_component(g, nodes)) return false;
            todo -= nodes;
        }
        return true;
    }
    bool orient_component(const Cpdag<W>& g, const B& nodes) {
        bool speaks = false;
        nodes.each([&](int v) { speaks = speaks || meets(g.ne[v], rows_.barred_in[v]); });
        if (!speaks) {
            nodes.each([&](int v) { next_.begin_node(v, B{}, B{}, B{}); });
            return true;
        }
        next_.begin(nodes, g.ne);
        bool agrees = true;
        nodes.each(
            [&](int v) { (g.ne[v] & rows_.barred_in[v]).each([&](int u) { agrees = agrees && next_.orient(v, u); }); });
        return agrees;
    }
    // The mark of a pair a < b whose mark in the class is given.
    static Mark with(const std::vector<B>& parents, Mark mark, int a, int b) {
        return mark != kLine ? mark : parents[b].test(a) ? kForward : parents[a].test(b) ? kBackward : kLine;
    }
    void list_changes(const Cpdag<W>& g, const B& region) {
        changes.clear();
        auto add = [&](int a, int b, Mark before, Mark after) {
            before = with(pa, before, a, b);
            after = with(next_.pa, after, a, b);
            if (before != after) changes.push_back({a, b, before, after});
        };
        for (const PairChange& c : g.changes) {
            changed_[c.b].set(c.a);
            add(c.a, c.b, c.before, c.after);
        }
        region.each([&](int b) {  // lines before and after
            const B moved = (pa[b] ^ next_.pa[b]) | (ch[b] ^ next_.ch[b]);
            if (!moved.any()) return;
            ((moved & B::first_n(b)) - changed_[b]).each([&](int a) { add(a, b, kLine, kLine); });
        });
        for (const PairChange& c : g.changes) changed_[c.b].reset(c.a);
    }
    void keep(int v) {
        pa[v] = next_.pa[v];
        ch[v] = next_.ch[v];
    }
};

}  // namespace czz
