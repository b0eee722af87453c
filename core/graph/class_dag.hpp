// The DAG that stands for a class, from its edges alone: the one that GraphInterface::dag tells, without making a whole
// graph.
#pragma once
#include "graph/graph_interface.hpp"
#include <queue>

namespace czz {

// Set bit x of row y where x is a parent of y in the DAG; rows of ceil(n / 8) bytes, zero before.
//
// Lines point from earlier to later nodes of a maximum cardinality search, whose order is perfect (Tarjan & Yannakakis
// 1984). Of the nodes with most links it takes the first, as Cpdag::search_component does, and so goes through one
// component after the other: until one is done, some node of it has a link, and nodes of others have none.
inline void dag_parents(const GraphInterface& g, std::uint8_t* rows) {
    const auto n = std::size_t(g.n()), width = (n + 7) / 8;
    auto set = [&](int x, int y) { rows[std::size_t(y) * width + std::size_t(x) / 8] |= std::uint8_t(1 << (x % 8)); };
    for (const auto& [x, y] : g.directed_edges()) set(x, y);

    const auto lines = g.undirected_edges();
    if (lines.empty()) return;
    std::vector<std::vector<int>> neighbors(n);
    for (const auto& [x, y] : lines) {
        neighbors[std::size_t(x)].push_back(y);
        neighbors[std::size_t(y)].push_back(x);
    }
    constexpr int kDone = -1;
    std::vector<int> links(n);
    std::priority_queue<std::pair<int, int>> next;  // links and -node; outdated where the node has more by now
    for (std::size_t v = 0; v < n; ++v)
        if (!neighbors[v].empty()) next.emplace(0, -int(v));
    for (; !next.empty();) {
        const auto [seen, minus] = next.top();
        next.pop();
        const int v = -minus;
        if (links[std::size_t(v)] != seen) continue;
        links[std::size_t(v)] = kDone;
        for (int u : neighbors[std::size_t(v)])
            if (links[std::size_t(u)] != kDone) {
                set(v, u);
                next.emplace(++links[std::size_t(u)], -u);
            }
    }
}

}  // namespace czz
