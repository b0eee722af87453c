// Conversion of classes and operators between one width of node sets and the interfaces that do not depend on it.
#pragma once
#include "graph/completion.hpp"
#include "graph/graph_interface.hpp"
#include "graph/operators.hpp"

namespace czz {

template <int W>
PlainOperator plain(const Cpdag<W>& g, const Operator<W>& op) {
    return {op.insert, op.x, op.y, tails_or_heads(g, op).list()};
}

// The class of an interface, by way of a member DAG.
template <int W>
Cpdag<W> cpdag_of(const GraphInterface& g) {
    std::vector<std::uint8_t> dag(std::size_t(g.n()) * std::size_t(g.n()));
    g.dag(dag.data());
    return std::get<Cpdag<W>>(from_dag(Mixed<W>(g.n(), dag.data())));
}

template <int W>
GraphPtr interface_of(const Cpdag<W>& g) {
    std::vector<std::uint8_t> dag(g.size() * g.size());
    for (int y = 0; y < g.n; ++y) g.dag_pa[y].each([&](int x) { dag[std::size_t(x) * g.size() + std::size_t(y)] = 1; });
    return std::get<GraphPtr>(with_width(g.n, [&](auto graphs) { return graphs.parse(Kind::kDag, g.n, dag.data()); }));
}

}  // namespace czz
