// A member DAG of a class, found from its edges alone: the one that GraphInterface::dag returns, without building a
// whole graph.
#pragma once
#include "graph/graph_interface.hpp"
#include "graph/max_cardinality_search.hpp"

namespace czz {

// Calls arrow(x, y) for every line, which points from the earlier to the later node of a maximum cardinality search.
// Among equals the search takes the first node, as Cpdag::search_component does, and so goes through one component
// after another: until one is done, some node of it has links, and nodes of the others have none.
template <int W, class F>
void orient_lines(const std::vector<std::pair<int, int>>& lines, const std::vector<int>& nodes, F&& arrow) {
    const std::size_t k = nodes.size();
    std::vector<int> number(std::size_t(nodes.back()) + 1);
    for (std::size_t i = 0; i < k; ++i) number[std::size_t(nodes[i])] = int(i);
    std::vector<Bits<W>> neighbors(k);
    for (const auto& [x, y] : lines) {
        const int a = number[std::size_t(x)], b = number[std::size_t(y)];
        neighbors[std::size_t(a)].set(b);
        neighbors[std::size_t(b)].set(a);
    }
    MaxCardinalitySearch<W> search(k);
    Bits<W> left = Bits<W>::first_n(int(k));
    search.begin(left);
    while (left.any()) {
        const int v = search.next();
        left.reset(v);
        const Bits<W> later = neighbors[std::size_t(v)] & left;
        later.each([&](int u) { arrow(nodes[std::size_t(v)], nodes[std::size_t(u)]); });
        search.visit(v, later);
    }
}

// Sets bit x of row y where x is a parent of y in the DAG; rows are ceil(n / 8) bytes, zero at first.
inline void dag_parents(const GraphInterface& g, std::uint8_t* rows) {
    const auto n = std::size_t(g.n()), width = (n + 7) / 8;
    auto set = [&](int x, int y) { rows[std::size_t(y) * width + std::size_t(x) / 8] |= std::uint8_t(1 << (x % 8)); };
    for (const auto& [x, y] : g.directed_edges()) set(x, y);

    const auto lines = g.undirected_edges();
    if (lines.empty()) return;
    std::vector<int> nodes;  // that have lines
    for (const auto& [x, y] : lines) nodes.insert(nodes.end(), {x, y});
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    if (nodes.size() <= 64) orient_lines<1>(lines, nodes, set);
    else if (nodes.size() <= 256) orient_lines<4>(lines, nodes, set);
    else orient_lines<0>(lines, nodes, set);
}

}  // namespace czz
