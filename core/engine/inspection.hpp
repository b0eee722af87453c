// The events of a chain with their rates, and the comparison of its state with one built from scratch, for tests.
#pragma once
#include "graph/conversion.hpp"
#include "sampler/chain.hpp"
#include "sampler/chain_inspection.hpp"
#include "target/uniform.hpp"

namespace czz {

template <int W, class Target>
std::vector<Event> list_events(Chain<W, Target>& c) {
    std::vector<Event> out;
    const double rho = c.next.momentum(), sigma = 1 - rho;
    auto add = [&](const Operator<W>& op, double log_rate) {
        const int kind = op.insert ? 1 : -1;
        const bool ahead = kind == c.direction;
        bool refused = false;
        if constexpr (requires { c.target.refuses(c.graph, op); }) refused = c.target.refuses(c.graph, op);
        refused = refused || (c.refusals && c.refusals->refuses(c.graph, op));
        if (refused && ahead && rho > 0) out.push_back({0, plain(c.graph, op), log_rate + std::log(rho)});
        const double share = refused ? 0 : ahead ? rho + sigma : sigma;
        if (share > 0) out.push_back({kind, plain(c.graph, op), log_rate + std::log(share)});
    };
    std::vector<std::pair<Operator<W>, double>> all;  // before add() moves the graph, and back
    auto collect = [&](const Operator<W>& op, double log_rate) { all.emplace_back(op, log_rate); };
    if (c.listed())
        for (const auto& e : c.listed()->entries) collect(e.op, e.log_rate);
    else c.target.each_rate(c.graph, collect);
    for (const auto& [op, log_rate] : all) add(op, log_rate);
    const double flip = c.next.flip_rate(c.direction);
    if (flip > 0) out.push_back({0, {}, std::log(flip) + c.next.rates().log_unit});
    return out;
}

template <int W>
std::string audit_graph(const Cpdag<W>& g) {
    std::vector<Bits<W>> dag(g.size());
    for (int i = 0; i < g.n; ++i) {
        const int v = g.order[i];
        if (g.place[v] != i) return "place";
        dag[v] = g.dag_pa[v];
        bool first = true;
        dag[v].each([&](int u) { first = first && g.place[u] < i; });
        if (!first) return "order";
    }
    const Cpdag<W> fresh = complete_dag(dag, g.order);
    if (!(fresh.pa == g.pa && fresh.ch == g.ch && fresh.ne == g.ne && fresh.above == g.above)) return "edges";
    if (fresh.dag_ch != g.dag_ch) return "children";
    if (fresh.desc != g.desc) return "descendants";
    if (fresh.comp != g.comp) return "components";
    if (fresh.degree != g.degree || fresh.edges != g.edges) return "degrees";
    if (!(fresh.hash == g.hash)) return "hash";
    return "";
}

// `fresh`: a target with the settings of the chain.
template <int W, class Target>
std::string audit_chain(Chain<W, Target>& c, Target fresh) {
    const Cpdag<W>& g = c.graph;
    if (std::string wrong = audit_graph(g); !wrong.empty()) return wrong;
    fresh.rebuild(g);
    const double negligible = c.next.rates().log_unit - 600;
    auto differ = [&](double a, double b) {
        if (std::is_same_v<Target, UniformTarget<W>>) return !(a == b);
        return !(std::max(a, b) < negligible) && !(std::abs(a - b) <= 1e-9);
    };
    for (int y = 0; y < g.n; ++y) {
        const auto now = c.target.row_log_rates(g, y), expected = fresh.row_log_rates(g, y);
        if (differ(now.first, expected.first)) return "inserts of row " + std::to_string(y);
        if (differ(now.second, expected.second)) return "deletes of row " + std::to_string(y);
    }
    return "";
}

}  // namespace czz
