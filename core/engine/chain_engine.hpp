// Implements the interface of a chain for one width of node sets and either kind of target.
#pragma once
#include "engine/inspection.hpp"
#include "engine/state_sizes.hpp"
#include "graph/conversion.hpp"
#include "sampler/chain.hpp"
#include "sampler/chain_interface.hpp"
#include "target/scored.hpp"
#include "target/uniform.hpp"

namespace czz {

template <class Target, int W>
Target make_target(int n, const ChainSettings& s) {
    ProcessSettings process = s;
    process.prior = s.whole_prior();
    OperatorMasks<W> masks(n, s.forbidden, s.arrows.get());
    if constexpr (std::is_same_v<Target, UniformTarget<W>>) {
        return UniformTarget<W>(n, process, s.max_degree, std::move(masks));
    } else {
        return ScoredTarget<W>(*s.score, process, s.max_degree, std::move(masks), s.cache_bytes);
    }
}

inline std::unique_ptr<Excursions> make_excursions(const ChainSettings& s) {
    if (!s.excursions.tables) return nullptr;
    return std::make_unique<Excursions>(s.excursions, s.whole_prior(), s.max_degree, s.arrows != nullptr);
}

template <int W, class Target>
class ChainOf final : public ChainInterface, public ChainInspection {
    ChainSettings settings_;  // keeps the score alive
    Chain<W, Target> c_;

  public:
    ChainOf(const GraphInterface& start, const ChainSettings& s, Loader* saved)
        : settings_(s), c_(cpdag_of<W>(start), make_target<Target, W>(start.n(), s), s, make_excursions(s), saved) {}

    u64 run(u64 jumps, double seconds) override { return c_.run(jumps, seconds); }
    void forget() override { c_.forget(); }
    std::string save() override {
        if (!can_continue()) throw BadState("a chain that cannot continue cannot be saved");
        Saver saver;
        c_.state(saver);
        return std::move(saver).bytes();
    }
    bool can_continue() const override { return c_.can_continue(); }
    void set_coldness(double coldness) override { set_coldness(coldness, 0); }
    void set_coldness(double coldness, double extra_slope) override {
        settings_.coldness = coldness;
        settings_.extra_slope = extra_slope;
        c_.set_target(make_target<Target, W>(c_.graph.n, settings_));
        if (!settings_.excursions.tables) return;
        const OrderTables& tables = *settings_.excursions.tables;
        settings_.excursions.tables = std::make_shared<OrderTables>(tables, coldness, tables.slope);
        c_.set_excursions(make_excursions(settings_));
    }
    void set_score(std::shared_ptr<const Score> score, double value) override {
        set_excursions({});
        const auto kept = std::exchange(settings_.score, std::move(score));  // until the target that uses it is gone
        c_.set_score(make_target<Target, W>(c_.graph.n, settings_), value);
    }
    void set_excursions(const ExcursionSettings& excursions) override {
        settings_.excursions = excursions;
        c_.set_excursions(make_excursions(settings_));
    }
    bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) override {
        return c_.excursions() && c_.anneal_order(powers, steps, slack);
    }
    void set_interval(double log2_interval) override { c_.set_interval(log2_interval); }
    bool finish_interval(u64 most_jumps, Clock::time_point end) override { return c_.finish_interval(most_jumps, end); }
    double explore(u64 jumps) override { return c_.explore(jumps); }
    void swap_states(ChainInterface& other) override { c_.swap_states(static_cast<ChainOf&>(other).c_); }
    GraphPtr graph() const override { return interface_of(c_.graph); }
    int direction() const override { return c_.direction; }
    int edge_count() const override { return c_.graph.edges; }
    double score() const override { return c_.score; }
    const Trace& trace() const override { return c_.accumulated.trace; }
    std::vector<Batch> batches() override { return c_.all_batches(); }
    const ClassTable& classes() override {
        c_.flush_visit();
        return c_.accumulated.classes;
    }
    ChainStatistics statistics() const override {
        ChainStatistics s{c_.tally};
        s.frozen = c_.status == Status::kFrozen;
        s.dense_node = c_.dense_node;
        s.dense_clique = c_.dense_clique;
        s.unlisted = c_.accumulated.classes.unlisted();
        s.excursions = c_.excursions().counts();
        s.excursions_spent = c_.excursions().spent();
        s.score_reference = c_.accumulated.batches.reference;
        s.refused = c_.refused();
        if constexpr (requires { c_.target.cache(); }) {
            s.row_lookups = c_.target.cache().lookups;
            s.row_misses = c_.target.cache().misses;
            s.row_evictions = c_.target.cache().evictions;
        }
        return s;
    }
    void edge_times(double* directed, double* undirected) const override {
        const std::size_t n = c_.graph.size();
        for (int b = 0; b < int(n); ++b)
            for (int a = 0; a < b; ++a) {
                const Mark present = c_.mark(a, b);
                auto held = [&](Mark m) {
                    return c_.accumulated.edge_times.held(a, b, m, present, c_.tally.time.expected);
                };
                directed[a * n + b] = held(kForward);
                directed[b * n + a] = held(kBackward);
                undirected[a * n + b] = undirected[b * n + a] = held(kLine);
            }
    }
    std::vector<Event> events() override { return list_events(c_); }
    void list_operators() override { c_.list_operators(); }
    std::string audit() override { return audit_chain(c_, make_target<Target, W>(c_.graph.n, settings_)); }
};

template <int W, class Target>
ChainPtr chain_of(const GraphInterface& start, const ChainSettings& settings, const Saved& saved) {
    if (!saved) return std::make_unique<ChainOf<W, Target>>(start, settings, nullptr);
    Loader loader(*saved);
    auto made = std::make_unique<ChainOf<W, Target>>(start, settings, &loader);
    loader.end();
    return made;
}
template <int W>
ChainPtr Chains<W>::uniform(const GraphInterface& start, const ChainSettings& settings, const Saved& saved) {
    return chain_of<W, UniformTarget<W>>(start, settings, saved);
}
template <int W>
ChainPtr Chains<W>::scored(const GraphInterface& start, const ChainSettings& settings, const Saved& saved) {
    return chain_of<W, ScoredTarget<W>>(start, settings, saved);
}

}  // namespace czz
