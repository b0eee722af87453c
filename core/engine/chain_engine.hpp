// Implements the interface of a chain for one width of node sets and either kind of target.
#pragma once
#include "engine/inspection.hpp"
#include "graph/conversion.hpp"
#include "sampler/chain_interface.hpp"
#include "sampler/chain_state.hpp"
#include "sampler/excursions/excursions.hpp"
#include "sampler/excursions/region_excursions.hpp"
#include "target/scored.hpp"
#include "target/uniform.hpp"

namespace czz {

template <int W, class Target>
class ChainOf final : public ChainInterface, public ChainInspection {
    const int n_;
    ChainSettings settings_;                     // keeps the score alive
    std::shared_ptr<ExcursionMove> excursions_;  // one of the moves, or null
    Chain<W, Target> c_;
    Intervals intervals_;

  public:
    ChainOf(const GraphInterface& start, const ChainSettings& s, Loader* saved)
        : n_(start.n()), settings_(s), c_(cpdag_of<W>(start), make_target(), s, make_moves()) {
        if (saved) chain_state(c_, intervals_, *saved);
        else c_.begin();
    }

    u64 run(u64 jumps, double seconds) override { return c_.run(jumps, seconds); }
    void forget() override { c_.forget(); }
    std::string save() override {
        if (!can_continue()) throw BadState("a chain that cannot continue cannot be saved");
        Saver saver;
        chain_state(c_, intervals_, saver);
        return std::move(saver).bytes();
    }
    bool can_continue() const override { return c_.can_continue(); }
    void set_coldness(double coldness, double extra_slope) override {
        settings_.coldness = coldness;
        settings_.extra_slope = extra_slope;
        c_.set_target(make_target());
        settings_.excursions = {};
        drop_moves();
    }
    void set_sqrt_weight(double weight) override {
        settings_.sqrt_weight = weight;
        c_.set_target(make_target());
    }
    void set_score(std::shared_ptr<const Score> score, double value) override {
        const auto kept = std::exchange(settings_.score, std::move(score));  // until the target that uses it is gone
        c_.set_score(make_target(), value);
        settings_.excursions = {};
        drop_moves();
    }
    void set_excursions(const ExcursionSettings& excursions) override {
        settings_.excursions = excursions;
        c_.set_moves(make_moves());
    }
    bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) override {
        if (!excursions_) return false;
        return c_.follow(c_.moves.lead(c_.graph, c_.restriction(), [&](Surroundings& s) {
            return excursions_->anneal(s, powers, steps, slack, c_.rng);
        }));
    }
    void set_interval(double log2_interval) override { intervals_.set(c_, log2_interval); }
    bool finish_interval(Clock::time_point end) override { return intervals_.finish(c_, end); }
    double explore(u64 jumps) override { return czz::explore(c_, jumps); }
    GraphPtr graph() const override { return interface_of(c_.graph); }
    int direction() const override { return c_.direction; }
    int edge_count() const override { return c_.graph.edges; }
    double score() const override { return c_.score; }
    const Trace& trace() const override { return c_.accumulated.trace; }
    std::vector<Batch> batches() override {
        c_.flush_visit();
        return c_.accumulated.batches.all(c_, c_.accumulated.edge_times, c_.tally.time.expected);
    }
    const ClassTable& classes() override {
        c_.flush_visit();
        return c_.accumulated.classes;
    }
    ChainStatistics statistics() const override {
        ChainStatistics s{c_.tally};
        s.unit = c_.next.unit;
        s.frozen = c_.status == Status::kFrozen;
        s.dense_node = c_.dense_node;
        s.dense_clique = c_.dense_clique;
        s.unlisted = c_.accumulated.classes.unlisted();
        if (excursions_) s.excursions = excursions_->counts;
        s.excursions_spent = excursions_ && excursions_->spent();
        s.score_reference = c_.accumulated.batches.reference;
        if (c_.refusals) s.refused = c_.refusals->refused;
        if constexpr (requires { c_.target.cache(); }) {
            s.row_lookups = c_.target.cache().lookups;
            s.row_misses = c_.target.cache().misses;
            s.row_evictions = c_.target.cache().evictions;
        }
        return s;
    }
    std::pair<ListedTimes, ListedTimes> edge_times() const override {
        ListedTimes arrows, lines;
        auto add = [&](ListedTimes& to, int i, int j, double time) {
            if (time == 0) return;
            to.at.push_back(std::int64_t(i) * n_ + j);
            to.time.push_back(time);
        };
        for (int b = 0; b < n_; ++b)
            for (int a = 0; a < b; ++a) {
                const Mark present = c_.mark(a, b);
                auto held = [&](Mark m) {
                    return c_.accumulated.edge_times.held(a, b, m, present, c_.tally.time.expected);
                };
                add(arrows, a, b, held(kForward));
                add(arrows, b, a, held(kBackward));
                add(lines, a, b, held(kLine));
            }
        arrows.sort();
        lines.sort();
        return {std::move(arrows), std::move(lines)};
    }
    std::vector<Event> events() override { return list_events(c_); }
    void list_operators() override { c_.list_operators(); }
    Audit audit() override { return audit_chain(c_, make_target(), settings_); }
    void replace(const GraphInterface& graph) override {
        Cpdag<W> next = cpdag_of<W>(graph);
        if (next.hash == c_.graph.hash) return;
        const double difference = c_.target.total(next) - c_.target.total(c_.graph);
        c_.follow(typename ChainMoves<W>::Arrival{std::move(next), difference});
    }

  private:
    Target make_target() const {
        ProcessSettings process = settings_;
        process.prior = settings_.whole_prior();
        // Knowledge has its own refusals; and the colder, the more the most likely of the refused inserts would
        // dominate.
        if (settings_.arrows || settings_.coldness > 1) process.unlikely_below = kMinusInf;
        OperatorMasks<W> masks(n_, settings_.forbidden, settings_.arrows.get());
        if constexpr (std::is_same_v<Target, UniformTarget<W>>) {
            return UniformTarget<W>(n_, process, settings_.max_degree, std::move(masks));
        } else {
            return ScoredTarget<W>(*settings_.score, process, settings_.max_degree, std::move(masks),
                                   settings_.cache_bytes);
        }
    }
    Moves make_moves() {
        Moves moves = settings_.moves;
        const ExcursionSettings& e = settings_.excursions;
        excursions_.reset();
        const bool knowledge = settings_.arrows != nullptr;
        if (e.tables)
            excursions_ = std::make_shared<Excursions>(e, settings_.whole_prior(), settings_.max_degree, knowledge);
        if (e.regions)
            excursions_ =
                std::make_shared<RegionExcursions>(e, settings_.whole_prior(), settings_.max_degree, knowledge);
        if (excursions_) moves.push_back(excursions_);
        return moves;
    }
    // After a change of the target, to which the moves belonged.
    void drop_moves() {
        settings_.moves.clear();
        c_.set_moves(make_moves());
    }
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
