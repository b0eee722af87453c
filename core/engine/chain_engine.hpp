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
    std::unique_ptr<MissingCells> cells_;        // null: no cell is missing
    std::shared_ptr<ExcursionMove> excursions_;  // one of the moves, or null
    Chain<W, Target> c_;
    Intervals intervals_;

  public:
    ChainOf(const GraphInterface& start, const ChainSettings& s, Loader* saved)
        : n_(start.n()), settings_(s), cells_(load_tuning_and_cells(start, saved)),
          c_(cpdag_of<W>(start), make_target(), settings_, make_moves()) {
        if (saved) chain_state(c_, intervals_, *saved);
        else c_.begin();
    }

    u64 run(u64 jumps, double seconds) override {
        if (!cells_ || !cells_->sweeping) return c_.run(jumps, seconds);
        // Whole sweeps: if the clock could cut one short, the time of a sweep would depend on the path.
        const auto end = time_in(seconds);
        const u64 before = c_.tally.jumps;
        do {
            if (c_.tally.jumps - before >= jumps || !intervals_.finish(c_, Clock::time_point::max())) break;
            draw_cells();
            cells_->keep([&] { return graph(); });
        } while (Clock::now() < end);
        return c_.tally.jumps - before;
    }
    void forget() override {
        c_.forget();
        if (cells_) cells_->clear();
    }
    std::string save() override {
        if (!c_.can_continue()) throw BadState("a chain that cannot continue cannot be saved");
        Saver saver;
        Tuning tuned = tuning();
        saver(tuned);
        if (cells_) saver(*cells_);
        chain_state(c_, intervals_, saver);
        return std::move(saver).bytes();
    }
    Tuning tuning() const override { return settings_.tuning(); }
    void tune(const Tuning& t) override {
        const bool moved = t.coldness != settings_.coldness || t.extra_slope != settings_.extra_slope;
        const bool balanced = t.sqrt_weight != settings_.sqrt_weight;
        settings_.tune(t);
        if (moved || balanced) c_.set_target(make_target());
        if (moved) drop_moves();
        else c_.set_moves(make_moves());
    }
    void set_excursions(const ExcursionSettings& excursions) override {
        settings_.excursions = excursions;
        c_.set_moves(make_moves());
    }
    bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) override {
        if (!excursions_) return false;
        return c_.follow(c_.moves.lead(c_.graph, c_.restriction(), [&](ChainView& s) {
            return excursions_->anneal(s, powers, steps, slack, c_.rng);
        }));
    }
    void draw_cells() override {
        const auto parents = member(c_.graph);
        cells_->draw(parents);
        const auto score = cells_->score();
        set_score(score, total(*score, parents));
    }
    void begin_sweeps(u64 jumps, int trials) override {
        double sum = 0, first = kMinusInf;
        for (int i = 0; i < trials && c_.can_continue(); ++i) {
            const double log2_time = explore(c_, jumps);
            if (i == 0) first = log2_time;
            sum += std::exp2(std::clamp(log2_time - first, -100.0, 100.0));
            draw_cells();
        }
        if (!c_.can_continue()) return;
        if (!std::isfinite(first) || !std::isfinite(sum))
            return cells_->keep_tables_of_one_class(member(c_.graph), [&] { return graph(); });
        set_interval(first + std::log2(sum / trials));
        cells_->sweeping = true;
        cells_->clear();
    }
    const MissingCells* cells() const override { return cells_.get(); }
    GraphPtr graph() const override { return interface_of(c_.graph); }
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
        s.direction = c_.direction;
        s.edges = c_.graph.edges;
        s.score = c_.score;
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

    void set_score(std::shared_ptr<const Score> score, double value) override {
        const auto kept = std::exchange(settings_.score, std::move(score));  // until the target that uses it is gone
        c_.set_score(make_target(), value);
        drop_moves();
    }
    void set_interval(double log2_interval) override { intervals_.set(c_, log2_interval); }
    bool finish_interval(Clock::time_point end) override { return intervals_.finish(c_, end); }

  private:
    // Of a DAG of the class.
    static MissingCells::Parents member(const Cpdag<W>& g) {
        MissingCells::Parents parents;
        for (std::size_t v = 0; v < g.size(); ++v) parents.push_back(g.dag_pa[v].list());
        return parents;
    }
    // Of the settings, before the target is made.
    std::unique_ptr<MissingCells> load_tuning_and_cells(const GraphInterface& start, Loader* saved) {
        if (saved) {
            Tuning tuning;
            (*saved)(tuning);
            settings_.tune(tuning);
        }
        if (!settings_.table) return nullptr;
        auto made = std::make_unique<MissingCells>(n_, settings_.table, settings_.most_tables);
        if (saved) (*saved)(*made);
        settings_.score = made->score();
        if (!saved) settings_.first_score = total(*settings_.score, member(cpdag_of<W>(start)));
        return made;
    }
    Target make_target() const {
        ProcessSettings process = settings_;
        process.prior = settings_.whole_prior();
        // Every insert is checked beforehand with knowledge, which refuses proposals itself, and above coldness 1,
        // where a few of the invalid inserts would have most of the total rate.
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
        if (excursions_ && e.log2_rate > kMinusInf) moves.push_back(excursions_);
        return moves;
    }
    // After a change of the target, to which the moves belonged.
    void drop_moves() {
        settings_.moves.clear();
        settings_.excursions = {};
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
