// The listed classes of a chain as graphs, one after another, and queries that visit all of them in one pass.
#pragma once
#include "base/bit_matrix.hpp"
#include "graph/meek.hpp"
#include "graph/record_walk.hpp"

namespace czz {

// A graph of any number of nodes: row v of `out` has bit w for v -> w and v - w; `in` is its transpose.
class WalkedGraph {
    using B = Bits<0>;
    int n_;
    BitMatrix out_, in_;
    int edges_ = 0;
    B seen_;
    std::vector<int> todo_;

  public:
    explicit WalkedGraph(int n) : n_(n), out_(n), in_(n), seen_(B::first_n(n)) {}

    void toggle(u64 pair, std::uint8_t change) {
        const auto [a, b] = pair_ends(pair);
        edges_ -= joined(a, b);
        if (change & kForward) flip(a, b);
        if (change & kBackward) flip(b, a);
        edges_ += joined(a, b);
    }
    int edges() const { return edges_; }
    const BitMatrix& out() const { return out_; }

    // Whether a path leads from a to b, each of its edges directed along it or, if `lines`, undirected.
    bool reaches(int a, int b, bool lines) {
        return search(a, [&](int v, int k) { return lines ? out_.row(v)[k] : out_.row(v)[k] & ~in_.row(v)[k]; }, b);
    }

    // Whether a is an ancestor of b in every DAG of the class.
    //
    // If no directed path leads from a to b, let W be the neighbors w of a from which a path leads to b that has lines
    // first and then arrows, and no node besides w in Ne(a) or at a. Any clique K of Ne(a) can be made the parents of a
    // in its component, the other neighbors then being its children, and b is below a exactly if one of those is in W.
    // So a is above b in every DAG unless K = W is possible, that is, unless W is a clique.
    bool certainly_above(int a, int b) {
        if (reaches(a, b, false)) return true;
        search(b, [&](int v, int k) { return in_.row(v)[k] & ~out_.row(v)[k]; }, kNoNode);
        const B above = seen_;
        B neighbors, W;
        for (int k = 0; k < out_.words(); ++k) neighbors.at(k) = out_.row(a)[k] & in_.row(a)[k];
        B barred = neighbors;
        barred.set(a);
        neighbors.each([&](int w) {
            search(w, [&](int v, int k) { return out_.row(v)[k] & in_.row(v)[k] & ~barred.word(k); }, kNoNode);
            if (meets(seen_, above)) W.set(w);
        });
        bool clique = true;
        W.each([&](int w) {
            B others = W;
            others.reset(w);
            for (int k = 0; k < others.words(); ++k)
                clique = clique && !(others.word(k) & ~(out_.row(w)[k] | in_.row(w)[k]));
        });
        return !clique;
    }

    // Whether a is an ancestor of b in some agreeing DAG of a maximally oriented graph (MPDAG).
    //
    // A shortest directed path of a DAG is unshielded: if two nodes with one between them were adjacent, it would not
    // be shortest. Conversely, orienting the first edge of an unshielded path of lines and arrows orients all others
    // along it by Meek's first rule. So the question is whether an unshielded path leads from a to b.
    bool possibly_above_oriented(int a, int b) { return !ways_down(a, b, true).empty(); }

    // Whether a is an ancestor of b in every agreeing DAG of a maximally oriented graph.
    //
    // Without a directed path, let W be the neighbors of a with which an unshielded path from a to b begins. By the
    // above, b is below a in a DAG exactly if a -> w for some w in W, so it is in all of them unless the lines can be
    // oriented w -> a for all w in W. A maximally oriented graph is tested for that by orienting one after the other.
    bool certainly_above_oriented(int a, int b) {
        if (reaches(a, b, false)) return true;
        const std::vector<int> W = ways_down(a, b, false);
        if (W.empty()) return false;
        Orienting<0> oriented{std::size_t(n_)};
        for (int v = 0; v < n_; ++v) {
            B parents, children, neighbors;
            for (int k = 0; k < out_.words(); ++k) {
                parents.at(k) = in_.row(v)[k] & ~out_.row(v)[k];
                children.at(k) = out_.row(v)[k] & ~in_.row(v)[k];
                neighbors.at(k) = out_.row(v)[k] & in_.row(v)[k];
            }
            oriented.begin_node(v, parents, children, neighbors);
        }
        for (int w : W)
            if (!oriented.orient(w, a)) return true;
        return false;
    }

    // Whether a is in the Markov blanket of b: they are adjacent, or have a common child. Parents of a common child
    // that are not adjacent form a v-structure, so the class says it for all its DAGs.
    bool in_blanket(int a, int b) const {
        if (joined(a, b)) return true;
        for (int k = 0; k < out_.words(); ++k)
            if (out_.row(a)[k] & ~in_.row(a)[k] & out_.row(b)[k] & ~in_.row(b)[k]) return true;
        return false;
    }

    // Whether a and b are d-separated given Z in the DAGs of the class.
    //
    // A CPDAG as a chain graph has the same separations as its DAGs (Andersson, Madigan & Perlman 1997), so the moral
    // criterion of chain graphs applies (Lauritzen & Wermuth): let A be all nodes from which a path of lines and arrows
    // along it leads to a, b or Z. Join the parents of each component in A, drop the directions, and look whether Z
    // separates a from b. All nodes of a component have the same parents, so those of each child are joined.
    bool separated(int a, int b, const std::vector<int>& Z) {
        B anterior, given;
        for (int z : Z) given.set(z);
        auto add = [&](int v) {
            if (anterior.test(v)) return;
            search(v, [&](int u, int k) { return in_.row(u)[k]; }, kNoNode);
            anterior |= seen_;
        };
        add(a);
        add(b);
        given.each(add);
        return !search(
            a,
            [&](int v, int k) {
                u64 next = out_.row(v)[k] | in_.row(v)[k];
                for (int j = 0; j < out_.words(); ++j)
                    each_bit(out_.row(v)[j] & ~in_.row(v)[j] & anterior.word(j), 64 * j,
                             [&](int child) { next |= in_.row(child)[k] & ~out_.row(child)[k]; });
                return next & anterior.word(k) & ~given.word(k);
            },
            b);
    }

  private:
    static constexpr int kNoNode = -1;

    // The nodes with which an unshielded path from a to b begins; only one of them if `one`.
    std::vector<int> ways_down(int a, int b, bool one) {
        std::vector<int> first;
        BitMatrix seen(n_);  // steps u to v
        std::vector<std::pair<int, int>> todo;
        out_.each(a, [&](int start) {
            if (one && !first.empty()) return;
            for (int v = 0; v < n_; ++v) seen.each(v, [&](int w) { seen.flip(v, w); });
            todo.assign(1, {a, start});
            while (!todo.empty()) {
                const auto [u, v] = todo.back();
                todo.pop_back();
                if (v == b) {
                    first.push_back(start);
                    return;
                }
                out_.each(v, [&, u = u, v = v](int w) {
                    if (w == u || joined(u, w) || seen.test(v, w)) return;
                    seen.flip(v, w);
                    todo.emplace_back(v, w);
                });
            }
        });
        return first;
    }

    int joined(int a, int b) const { return int(out_.test(a, b)) | int(in_.test(a, b)); }
    void flip(int v, int w) {
        out_.flip(v, w);
        in_.flip(w, v);
    }
    // Sets seen_ to a and all nodes reached from it; next(v, k) returns word k of the nodes one step after v. Returns
    // true as soon as it comes to `wanted`.
    template <class F>
    bool search(int a, F&& next, int wanted) {
        seen_.clear();
        seen_.set(a);
        todo_.assign(1, a);
        while (!todo_.empty()) {
            const int v = todo_.back();
            todo_.pop_back();
            if (v == wanted) return true;
            for (int k = 0; k < out_.words(); ++k) {
                const u64 fresh = next(v, k) & ~seen_.word(k);
                seen_.at(k) |= fresh;
                each_bit(fresh, 64 * k, [&](int w) { todo_.push_back(w); });
            }
        }
        return false;
    }
};

// Calls visit(record, graph) for every class, in an order in which the graph changes little.
template <class F>
void walk_classes(int n, const Records& records, F&& visit) {
    WalkedGraph graph(n);
    walk_records(
        records, [&](u64 pair, std::uint8_t change) { graph.toggle(pair, change); },
        [&](std::size_t i) { visit(i, graph); });
}

}  // namespace czz
