// Maximum cardinality search (Tarjan & Yannakakis 1984): the next node is one with most visited neighbors, the first
// among equals. On a chordal graph its order is perfect: the visited neighbors of every node are a clique.
#pragma once
#include "base/bits.hpp"

namespace czz {

template <int W>
class MaxCardinalitySearch {
    using B = Bits<W>;
    std::vector<int> links_;  // of a node that is not visited: the number of its visited neighbors
    std::vector<B> bucket_;   // [c]: the nodes that are not visited and have c links
    int top_ = 0;             // buckets above this one are empty

  public:
    explicit MaxCardinalitySearch(std::size_t n) : links_(n), bucket_(n + 1) {}

    // Begins a search of the subgraph of `nodes`. The search before has visited all of its nodes, so that the buckets
    // are empty.
    void begin(const B& nodes) {
        nodes.each([&](int v) { links_[v] = 0; });
        bucket_[0] = nodes;
        top_ = 0;
    }
    // The next node in the order; at least one must be left.
    int next() {
        while (!bucket_[top_].any()) --top_;
        return bucket_[top_].first();
    }
    int links(int v) const { return links_[v]; }
    // Visits v, in the order of next() or in any other. `later`: its neighbors among the nodes not yet visited.
    void visit(int v, const B& later) {
        int top = top_;  // a local copy, which stores through links_ cannot change
        bucket_[links_[v]].reset(v);
        later.each([&](int t) {
            bucket_[links_[t]].reset(t);
            const int c = ++links_[t];
            top = std::max(top, c);
            bucket_[c].set(t);
        });
        top_ = top;
    }
};

}  // namespace czz
