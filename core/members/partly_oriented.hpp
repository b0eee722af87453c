// A component of a class, some of whose lines are oriented: Meek's rules, and the number of members that agree.
#pragma once
#include "members/members.hpp"

namespace czz {

template <int W>
class PartlyOriented {
    using B = Bits<W>;

  public:
    // The neighbors of the nodes 0 .. k - 1 of a connected chordal graph; the vector must outlive this object.
    explicit PartlyOriented(const std::vector<B>& neighbors)
        : adjacent_(neighbors), lines_(neighbors), in_(neighbors.size()), out_(neighbors.size()) {}

    // Removes all orientations.
    void reset() {
        lines_ = adjacent_;
        for (B& b : in_) b.clear();
        for (B& b : out_) b.clear();
    }
    // Orients the line u - v as u -> v; does nothing if u and v are not joined by a line.
    void orient(int u, int v) {
        if (!lines_[u].test(v)) return;
        lines_[u].reset(v);
        lines_[v].reset(u);
        out_[u].set(v);
        in_[v].set(u);
        todo_.emplace_back(u, v);
    }
    // Orients every line that Meek's rules 1, 2 and 4 orient (Meek 1995). Rule 3 needs two arrows into a node from
    // nodes that are not adjacent: a v-structure, which no member has inside a component.
    void close() {
        while (!todo_.empty()) {
            const auto [u, v] = todo_.back();
            todo_.pop_back();
            (lines_[v] - adjacent_[u]).each([&](int b) { orient(v, b); });  // rule 1: u -> v - b
            (lines_[u] & out_[v]).each([&](int b) { orient(u, b); });       // rule 2: u -> v -> b, u - b
            (lines_[v] & in_[u]).each([&](int a) { orient(a, v); });        // rule 2: a -> u -> v, a - v
            // rule 4: c -> d -> b, c and b not adjacent, a adjacent to all three, a - b and a - c: a -> b
            (out_[v] - adjacent_[u]).each([&](int b) { orient_into(u, v, b); });
            (in_[u] - adjacent_[v]).each([&](int c) { orient_into(c, u, v); });
        }
    }
    // The logarithm of the number of members that have the orientations, after close(). What remains undirected must be
    // independent of the orientations, as it is if all lines at some nodes are oriented (Hauser & Bühlmann 2012).
    double log_count(ClassSizes& sizes) {
        rest_.resize(lines_.size());
        for (std::size_t v = 0; v < lines_.size(); ++v) {
            rest_[v].clear();
            lines_[v].each([&](int u) { rest_[v].push_back(u); });
        }
        return sizes.log_size(rest_);
    }

  private:
    const std::vector<B>& adjacent_;
    std::vector<B> lines_, in_, out_;
    Pairs todo_;  // arrows whose consequences are not yet drawn
    NeighborLists rest_;

    void orient_into(int c, int d, int b) {
        (lines_[c] & lines_[b] & adjacent_[d]).each([&](int a) { orient(a, b); });
    }
};

}  // namespace czz
