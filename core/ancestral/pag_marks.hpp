// The partial ancestral graph (PAG) of the class of a MAG: which marks all members share.
//
// Zhang's (2008) orientation rules R0-R4 and R8-R10, which are complete without selection. Independences are not asked
// for: the MAG itself answers whether a node is a collider.
#pragma once
#include "ancestral/mag.hpp"
#include <vector>

namespace czz {

enum EndMark : std::uint8_t { kNoEdge = 0, kCircle = 1, kArrowhead = 2, kTail = 3 };

enum SharedAncestry : std::uint8_t { kDiffers = 0, kInAll = 1, kInNone = 2 };

class PagMarks {
    const Mag& g_;
    const int n_;
    std::vector<std::uint8_t> marks_;  // n by n: of the edge between the row and the column, at the column

    std::uint8_t& at(int a, int b) { return marks_[std::size_t(a * n_ + b)]; }
    int at(int a, int b) const { return marks_[std::size_t(a * n_ + b)]; }
    bool joined(int a, int b) const { return at(a, b) != kNoEdge; }
    bool is_arrow(int a, int b) const { return at(a, b) == kArrowhead && at(b, a) == kTail; }
    bool may_be_arrow(int a, int b) const { return joined(a, b) && at(a, b) != kTail && at(b, a) != kArrowhead; }
    bool half_known(int a, int c) const { return at(a, c) == kArrowhead && at(c, a) == kCircle; }  // a o-> c
    void arrow(int a, int b) { at(a, b) = kArrowhead, at(b, a) = kTail; }

    template <class F>
    void each_pair(F&& f) const {
        for (int a = 0; a < n_; ++a)
            for (int b = 0; b < n_; ++b)
                if (joined(a, b)) f(a, b);
    }
    template <class F>
    bool any(F&& f) const {
        for (int v = 0; v < n_; ++v)
            if (f(v)) return true;
        return false;
    }

    // R0: a *-> b <-* c with a and c not joined.
    void unshielded_colliders() {
        for (int b = 0; b < n_; ++b)
            each_node(g_.heads_at(b), [&](int a) {
                if (g_.heads_at(b) & ~g_.adjacent(a) & ~only(a)) at(a, b) = kArrowhead;
            });
    }
    // R1: a *-> b o-* c with a and c not joined: b -> c, as b is no collider.
    bool away_from_collider() {
        bool hit = false;
        each_pair([&](int c, int b) {
            if (at(c, b) != kCircle || !any([&](int a) { return a != c && at(a, b) == kArrowhead && !joined(a, c); }))
                return;
            arrow(b, c);
            hit = true;
        });
        return hit;
    }
    // R2: a -> b *-> c or a *-> b -> c, with a *-o c: a *-> c, as c is no ancestor of a.
    bool away_from_ancestor() {
        bool hit = false;
        each_pair([&](int a, int c) {
            if (at(a, c) != kCircle) return;
            const bool between = any([&](int b) {
                return at(a, b) == kArrowhead && at(b, c) == kArrowhead && (at(b, a) == kTail || at(c, b) == kTail);
            });
            if (!between) return;
            at(a, c) = kArrowhead;
            hit = true;
        });
        return hit;
    }
    // R3: a *-> b <-* c and a *-o d o-* c with a and c not joined, and d *-o b: d *-> b.
    bool double_triangle() {
        bool hit = false;
        each_pair([&](int d, int b) {
            if (at(d, b) != kCircle) return;
            auto side = [&](int a) { return at(a, b) == kArrowhead && at(a, d) == kCircle; };
            if (!any([&](int a) { return side(a) && any([&](int c) { return c < a && side(c) && !joined(a, c); }); }))
                return;
            at(d, b) = kArrowhead;
            hit = true;
        });
        return hit;
    }
    // R4: a path <d, ..., a, b, c> discriminates for b if all nodes between d and b are colliders on it and parents of
    // c, and d and c are not joined. Whether b is a collider is then the same in all members. The search goes back
    // from a.
    bool discriminating_path() {
        for (int b = 0; b < n_; ++b)
            for (int c = 0; c < n_; ++c)
                for (int a = 0; a < n_ && at(c, b) == kCircle; ++a)
                    if (a != c && at(b, a) == kArrowhead && is_arrow(a, c) && discriminates(a, b, c)) {
                        const bool collider = (g_.heads_at(b) & only(a)) && (g_.heads_at(b) & only(c));
                        if (collider) at(a, b) = at(b, a) = at(b, c) = at(c, b) = kArrowhead;
                        else arrow(b, c);
                        return true;
                    }
        return false;
    }
    bool discriminates(int a, int b, int c) const {
        MagSet seen = only(a) | only(b) | only(c), waiting = only(a);
        while (waiting) {
            const int v = std::countr_zero(waiting);
            waiting &= waiting - 1;
            for (int d = 0; d < n_; ++d) {
                if (seen >> d & 1 || at(d, v) != kArrowhead) continue;
                if (!joined(d, c)) return true;
                if (is_arrow(d, c) && at(v, d) == kArrowhead) seen |= only(d), waiting |= only(d);
            }
        }
        return false;
    }
    // R8: a -> b -> c and a o-> c: a -> c.
    bool transitive() {
        bool hit = false;
        each_pair([&](int a, int c) {
            if (!half_known(a, c) || !any([&](int b) { return is_arrow(a, b) && is_arrow(b, c); })) return;
            at(c, a) = kTail;
            hit = true;
        });
        return hit;
    }
    // Whether a path on from (prev, v) to the goal exists on which each edge may be an arrow and no three consecutive
    // nodes are joined to each other.
    bool uncovered_path(int prev, int v, int goal, MagSet used) const {
        return v == goal || any([&](int w) {
                   return !(used >> w & 1) && may_be_arrow(v, w) && !joined(prev, w) &&
                          uncovered_path(v, w, goal, used | only(w));
               });
    }
    // R9: a o-> c and such a path <a, b, ..., c> with b and c not joined: a -> c.
    bool around() {
        bool hit = false;
        each_pair([&](int a, int c) {
            if (!half_known(a, c)) return;
            const bool found = any([&](int b) {
                return b != c && may_be_arrow(a, b) && !joined(b, c) && uncovered_path(a, b, c, only(a) | only(b));
            });
            if (!found) return;
            at(c, a) = kTail;
            hit = true;
        });
        return hit;
    }
    // R10: a o-> c, b -> c <- d, and such paths from a to b and from a to d that begin with nodes not joined: a -> c.
    bool two_ways() {
        bool hit = false;
        each_pair([&](int a, int c) {
            if (!half_known(a, c)) return;
            // begins[b]: the nodes with which such paths from a to the parent b of c begin
            std::array<MagSet, kMostMagNodes> begins{};
            for (int b = 0; b < n_; ++b)
                for (int u = 0; u < n_ && b != a && is_arrow(b, c); ++u)
                    if (u != c && may_be_arrow(a, u) && uncovered_path(a, u, b, only(a) | only(u) | only(c)))
                        begins[Mag::at(b)] |= only(u);
            bool found = false;
            for (int b = 0; b < n_; ++b)
                for (int d = 0; d < b; ++d)
                    each_node(begins[Mag::at(b)],
                              [&](int u) { found |= (begins[Mag::at(d)] & ~g_.adjacent(u) & ~only(u)) != 0; });
            if (!found) return;
            at(c, a) = kTail;
            hit = true;
        });
        return hit;
    }

    template <class F>
    MagSet reached(int a, F&& edge) const {
        MagSet seen = only(a), waiting = seen;
        while (waiting) {
            const int v = std::countr_zero(waiting);
            waiting &= waiting - 1;
            for (int w = 0; w < n_; ++w)
                if (!(seen >> w & 1) && edge(v, w)) seen |= only(w), waiting |= only(w);
        }
        return seen;
    }
    bool two_beginnings(int a, int b) const {
        MagSet begins = 0;
        for (int u = 0; u < n_; ++u)
            if (may_be_arrow(a, u) && uncovered_path(a, u, b, only(a) | only(u))) begins |= only(u);
        bool found = false;
        each_node(begins, [&](int u) { found |= (begins & ~g_.adjacent(u) & ~only(u)) != 0; });
        return found;
    }

  public:
    explicit PagMarks(const Mag& g) : g_(g), n_(g.n), marks_(std::size_t(g.n * g.n)) {
        for (int a = 0; a < n_; ++a) each_node(g.adjacent(a), [&](int b) { at(a, b) = kCircle; });
        unshielded_colliders();
        for (bool hit = true; hit;) {
            hit = away_from_collider();
            hit |= away_from_ancestor();
            hit |= double_triangle();
            hit = hit || discriminating_path();
        }
        for (bool hit = true; hit;) {
            hit = transitive();
            hit |= around();
            hit |= two_ways();
        }
    }
    const std::vector<std::uint8_t>& marks() const { return marks_; }

    // Whether the first node is an ancestor of the second one in all members, or in none.
    //
    // In none if no path leads there on which each edge may be an arrow. In all if a path of arrows does, or two
    // uncovered such paths that begin with nodes which are not joined (Zhang 2006; Mooij & Claassen 2020): one of them
    // is directed, as otherwise the first node would be a collider.
    std::vector<std::uint8_t> ancestry() const {
        std::vector<std::uint8_t> shared(marks_.size(), kDiffers);
        for (int a = 0; a < n_; ++a)
            for (int b = 0; b < n_; ++b) {
                std::uint8_t& answer = shared[std::size_t(a * n_ + b)];
                if (!(reached(a, [&](int v, int w) { return may_be_arrow(v, w); }) >> b & 1)) answer = kInNone;
                else if (reached(a, [&](int v, int w) { return is_arrow(v, w); }) >> b & 1 || two_beginnings(a, b))
                    answer = kInAll;
            }
        return shared;
    }
};

}  // namespace czz
