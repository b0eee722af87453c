// The events of a chain with their rates, and the comparison of its state with one built from scratch, for tests.
#pragma once
#include "graph/conversion.hpp"
#include "sampler/chain.hpp"
#include "sampler/chain_inspection.hpp"
#include "sampler/chain_settings.hpp"
#include "target/scored.hpp"
#include "target/uniform.hpp"

namespace czz {

template <int W, class Target>
std::vector<Event> list_events(Chain<W, Target>& c) {
    std::vector<Event> out;
    const double rho = c.next.momentum(), sigma = 1 - rho;
    auto add = [&](const Operator<W>& op, double log_rate) {
        const int kind = op.insert ? 1 : -1;
        const bool ahead = kind == c.direction;
        bool reverses = c.refusals && c.refusals->refuses(c.graph, op);
        if constexpr (requires { c.target.is_valid(c.graph, op); })
            reverses = reverses || !c.target.is_valid(c.graph, op);
        if (reverses && ahead && rho > 0) out.push_back({0, plain(c.graph, op), log_rate + std::log(rho)});
        const double share = reverses ? 0 : ahead ? rho + sigma : sigma;
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
void audit_graph(const Cpdag<W>& g, Audit& audit) {
    std::vector<Bits<W>> dag(g.size());
    for (int i = 0; i < g.n; ++i) {
        const int v = g.order[i];
        bool in_order = g.place[v] == i;
        dag[v] = g.dag_pa[v];
        dag[v].each([&](int u) { in_order = in_order && g.place[u] < i; });
        audit.check(in_order, [&] { return "order at node " + std::to_string(v); });
    }
    const Cpdag<W> fresh = complete_dag(dag, g.order);
    for (std::size_t v = 0; v < g.size(); ++v) {
        auto same = [&](bool is_same, const char* what) {
            audit.check(is_same, [&] { return std::string(what) + " of node " + std::to_string(v); });
        };
        same(fresh.pa[v] == g.pa[v] && fresh.ch[v] == g.ch[v] && fresh.ne[v] == g.ne[v], "edges");
        same(fresh.above[v] == g.above[v], "perfect elimination order");
        same(fresh.dag_ch[v] == g.dag_ch[v], "children in the member");
        same(fresh.desc[v] == g.desc[v], "descendants");
        same(fresh.comp[v] == g.comp[v], "component");
        same(fresh.degree[v] == g.degree[v], "degree");
    }
    audit.check(fresh.edges == g.edges && fresh.hash == g.hash, [] { return "hash"; });
}

// Whether two logarithms are equal up to rounding; both may be minus infinity.
inline bool same_log(double a, double b, double rounding = 1e-9) { return a == b || std::abs(a - b) <= rounding; }

// Compares what a scored target has cached and summed with rows of a new kernel, and with a target that was built from
// scratch at the same class.
template <int W>
class ScoredAudit {
    using B = Bits<W>;
    ScoredTarget<W>&now_, &fresh_;
    const Cpdag<W>& g_;
    Audit& audit_;
    const ProcessSettings& process_;
    std::unique_ptr<RowKernel> kernel_;
    std::vector<double> difference_;
    std::vector<int> parents_;

  public:
    ScoredAudit(ScoredTarget<W>& now, ScoredTarget<W>& fresh, const Cpdag<W>& g, const Score& score, Audit& audit)
        : now_(now), fresh_(fresh), g_(g), audit_(audit), process_(now.process()), kernel_(score.kernel()),
          difference_(g.size() + 8) {}

    void compare() {
        for (int y = 0; y < g_.n; ++y) compare_blocks(y);
        for (const CachedRow<W>& row : now_.cache().rows())
            if (row.y >= 0 && !row.pending) compare_row(row);
    }

  private:
    static std::string name(const char* what, const CachedRow<W>& row, int x = -1) {
        return std::string(what) + " of row " + std::to_string(row.y) + " with " + std::to_string(row.S.count()) +
               " parents" + (x < 0 ? "" : " at " + std::to_string(x));
    }
    void compare_blocks(int y) {
        const auto &blocks = now_.blocks(y), &expected = fresh_.blocks(y);
        audit_.check(blocks.size() == expected.size(), [&] { return "cliques of " + std::to_string(y); });
        for (const auto& e : expected) {
            const auto b =
                std::find_if(blocks.begin(), blocks.end(), [&](const auto& block) { return block.K == e.K; });
            audit_.check(b != blocks.end(), [&] { return "a clique of " + std::to_string(y); });
            if (b == blocks.end()) continue;
            const CachedRow<W>&row = now_.rows()[b->row], &fresh = fresh_.rows()[e.row];
            audit_.check(row.y == y && row.S == (g_.pa[y] | e.K) && row.pins == 1, [&] { return name("use", row); });
            audit_.check(now_.candidates_of(*b) == fresh_.candidates_of(e), [&] { return name("candidates", row); });
            audit_.check(same_log(std::log(b->total) + row.insert_exponent * kLn2,
                                  std::log(e.total) + fresh.insert_exponent * kLn2),
                         [&] { return name("sum of inserts", row); });
        }
    }
    // The log ratio of weights inside the rates.
    double log_ratio(double difference, int by) const {
        const bool outside = !process_.prior.table.empty() && !now_.rows().prior_inside;
        return process_.coldness * difference + (outside ? 0 : process_.prior.step(g_.edges, by));
    }
    void compare_rate(const CachedRow<W>& row, int x, double rate, double exponent, int by) {
        const double ratio = log_ratio(difference_[std::size_t(x)], by);
        const double expected = log_balance(process_, ratio), shifted = expected * kLog2e - exponent;
        const double log_rate = std::log(rate) + exponent * kLn2;
        // A step to a number of edges without weight has a finite exponent. Rates are 0 below 2^-1000 units and bounded
        // above 2^1000 units; those of kAuto may be 0 below 2^-500 units (base/kernels.cpp).
        const bool right =
            ratio < -1e14    ? log_rate < -1e13
            : shifted < -999 ? rate < 0x1p-998
            : shifted > 998  ? rate > 0x1p+997
                             : (shifted < -500 && rate == 0) ||
                                   same_log(log_rate, expected, 1e-9 + 1e-14 * (std::abs(ratio) + std::abs(exponent)));
        audit_.check(right, [&] { return name(by > 0 ? "rate of an insert" : "rate of a delete", row, x); });
    }
    // A row that is not in use may have been computed for another number of edges.
    void compare_row(const CachedRow<W>& row) {
        parents_.clear();
        row.S.each([&](int v) { parents_.push_back(v); });
        kernel_->row(row.y, parents_, difference_.data());
        const RowRates<W>& rates = now_.rows();
        if (!rates.rates_only)
            for (int x = 0; x < g_.n; ++x)
                if (x != row.y)
                    audit_.check(row.difference[x] == difference_[std::size_t(x)],
                                 [&] { return name("difference", row, x); });
        rates.removable(row.S, row.y).each([&](int x) {
            audit_.check(rates.delete_difference(row, x) == difference_[std::size_t(x)],
                         [&] { return name("difference of a delete", row, x); });
        });
        if (rates.prior_inside && row.pins == 0) return;
        int place = 0;
        for (int x = 0; x < g_.n; ++x)
            if (x != row.y && (rates.listed ? row.likely.test(x) : !row.S.test(x)))
                compare_rate(row, x, row.rate[rates.listed ? place++ : x], row.insert_exponent, 1);
        double deletes = 0;
        rates.removable(row.S, row.y).each([&](int x) {
            const double rate = rates.delete_rate(row, x);
            compare_rate(row, x, rate, row.delete_exponent, -1);
            deletes += rate;
        });
        audit_.check(std::abs(deletes - row.delete_sum) <= 1e-12 * deletes,
                     [&] { return name("sum of deletes", row); });
    }
};

// `fresh`: a target with the settings of the chain.
template <int W, class Target>
Audit audit_chain(Chain<W, Target>& c, Target fresh, const ChainSettings& settings) {
    Audit audit;
    const Cpdag<W>& g = c.graph;
    audit_graph(g, audit);
    if (audit.differences > 0) return audit;
    fresh.rebuild(g);
    constexpr bool is_uniform = std::is_same_v<Target, UniformTarget<W>>;
    const double inserts = std::log(fresh.insert_total()) + fresh.insert_log_scale(g),
                 deletes = std::log(fresh.delete_total()) + fresh.delete_log_scale(g);
    // Totals are at most 2^±400 of a unit, in which what is below 2^-1000 underflows. So rates of at least 2^-600 of
    // the total of their kind remain.
    auto same = [&](double a, double b, double total) {
        return is_uniform ? a == b : std::max(a, b) < total - 600 * kLn2 || same_log(a, b);
    };
    for (int y = 0; y < g.n; ++y) {
        const auto now = c.target.row_log_rates(g, y), expected = fresh.row_log_rates(g, y);
        audit.check(same(now.first, expected.first, inserts), [&] { return "inserts of row " + std::to_string(y); });
        audit.check(same(now.second, expected.second, deletes), [&] { return "deletes of row " + std::to_string(y); });
    }
    if (!c.listed()) {
        const Rates rates = c.next.rates();
        // Both are in one unit. The factor between their own units underflows too, so that 2^-200 of the other remains.
        const double least = std::max(inserts, deletes) - 200 * kLn2;
        auto same_rate = [&](double rate, double log_expected) {
            const double log_rate = std::log(rate) + rates.log_unit;
            return std::max(log_rate, log_expected) < least || same_log(log_rate, log_expected);
        };
        audit.check(same_rate(rates.insert, inserts), [] { return "the rate of all inserts"; });
        audit.check(same_rate(rates.remove, deletes), [] { return "the rate of all deletes"; });
    }
    if (c.refusals) {
        const Restriction<W> expected(*settings.arrows, g);
        audit.check(c.restriction()->pa == expected.pa && c.restriction()->ch == expected.ch,
                    [] { return "what knowledge orients"; });
    }
    const double score = c.score_reference + c.target.total(g);  // differences are rounded
    audit.check(std::abs(c.score - score) <= 1e-6 * (1 + std::abs(c.score) + std::abs(c.score_reference)),
                [] { return "score"; });
    if constexpr (!is_uniform) ScoredAudit<W>(c.target, fresh, g, *settings.score, audit).compare();
    return audit;
}

}  // namespace czz
