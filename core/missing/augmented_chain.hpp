// A chain of classes whose table has missing cells: it samples classes and cells together (data augmentation).
//
// A sweep runs the process of (class, direction) given the completed table X for a fixed time T, then draws the missing
// cells given the class. The first step leaves p(γ | X) ⊗ uniform invariant because T does not depend on the path (a
// fixed number of jumps does not), the second one p(X_mis | γ, X_obs), and so both leave p(γ, X_mis | X_obs) invariant.
// The direction is kept from sweep to sweep, and times are accumulated over all sweeps.
#pragma once
#include "missing/completed_table.hpp"
#include "missing/kept_tables.hpp"
#include "sampler/chain_interface.hpp"

namespace czz {

class AugmentedChain final : public ChainInterface {
    int nodes_;
    std::shared_ptr<CompletedTable> table_;
    double reference_;  // reported scores are relative to it
    KeptTables kept_;
    bool sweeping_ = false;
    u64 sweeps_ = 0;
    ChainPtr chain_;

  public:
    AugmentedChain(const GraphInterface& start, ChainSettings settings, std::shared_ptr<CompletedTable> table,
                   double reference, std::size_t most_tables, const Saved& saved)
        : nodes_(start.n()), table_(std::move(table)), reference_(reference), kept_(most_tables) {
        std::vector<char> inner;
        if (saved) {
            Loader loader(*saved);
            state(loader, inner);
            loader.end();
        }
        settings.score = table_->score();
        settings.first_score = total(*settings.score, parents_of(start)) - reference_;
        chain_ = make_chain(start, settings, saved ? Saved(std::string_view(inner.data(), inner.size())) : Saved());
    }

    // Draws the missing cells given the present class, and continues with the score of the new table.
    void draw_cells() {
        const GraphPtr g = chain_->graph();
        const CompletedTable::Parents parents = parents_of(*g);
        table_->draw(parents);
        const auto score = table_->score();
        chain_->set_score(score, total(*score, parents) - reference_);
    }
    // Chooses the time of a sweep, in which the chain makes about this number of jumps, and begins to make sweeps.
    // Before, run() keeps the cells. A chain that cannot jump makes no sweeps.
    void begin_sweeps(u64 jumps, int trials) {
        double sum = 0, first = kMinusInf;
        for (int i = 0; i < trials && chain_->can_continue(); ++i) {
            const double log2_time = chain_->explore(jumps);
            if (i == 0) first = log2_time;
            sum += std::exp2(std::clamp(log2_time - first, -100.0, 100.0));
            draw_cells();
        }
        if (!chain_->can_continue()) return;
        if (!std::isfinite(first) || !std::isfinite(sum)) return keep_tables_of_one_class();
        chain_->set_interval(first + std::log2(sum / trials));
        sweeping_ = true;
        clear();
    }
    u64 sweeps() const { return sweeps_; }
    std::vector<double> cells() const { return table_->cells(); }
    const KeptTables& kept() const { return kept_; }
    ChainInterface& inner() { return *chain_; }

    // At least this number of jumps, or fewer if the time is up first; whole sweeps, so that the end of a run does not
    // depend on the clock in another way.
    u64 run(u64 jumps, double seconds) override {
        if (!sweeping_) return chain_->run(jumps, seconds);
        const auto end = time_in(seconds);
        const u64 before = chain_->statistics().jumps;
        auto made = [&] { return chain_->statistics().jumps - before; };
        do {
            if (made() >= jumps || !chain_->finish_interval(Clock::time_point::max())) break;
            draw_cells();
            ++sweeps_;
            kept_.add(sweeps_, *chain_, *table_);
        } while (Clock::now() < end);
        return made();
    }
    void forget() override {
        chain_->forget();
        clear();
    }
    std::string save() override {
        const std::string bytes = chain_->save();
        std::vector<char> inner(bytes.begin(), bytes.end());
        Saver saver;
        state(saver, inner);
        return std::move(saver).bytes();
    }

    bool can_continue() const override { return chain_->can_continue(); }
    void set_coldness(double coldness, double extra_slope) override { chain_->set_coldness(coldness, extra_slope); }
    void set_sqrt_weight(double weight) override { chain_->set_sqrt_weight(weight); }
    void set_score(std::shared_ptr<const Score> score, double value) override {
        chain_->set_score(std::move(score), value);
    }
    void set_excursions(const ExcursionSettings& excursions) override { chain_->set_excursions(excursions); }
    bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) override {
        return chain_->anneal_order(powers, steps, slack);
    }
    void set_interval(double log2_interval) override { chain_->set_interval(log2_interval); }
    bool finish_interval(Clock::time_point end) override { return chain_->finish_interval(end); }
    double explore(u64 jumps) override { return chain_->explore(jumps); }
    ChainStatistics statistics() const override { return chain_->statistics(); }
    GraphPtr graph() const override { return chain_->graph(); }
    int direction() const override { return chain_->direction(); }
    int edge_count() const override { return chain_->edge_count(); }
    double score() const override { return chain_->score(); }
    const ClassTable& classes() override { return chain_->classes(); }
    const Trace& trace() const override { return chain_->trace(); }
    std::vector<Batch> batches() override { return chain_->batches(); }
    std::pair<ListedTimes, ListedTimes> edge_times() const override { return chain_->edge_times(); }

  private:
    template <class A>
    void state(A& a, std::vector<char>& inner) {
        a(*table_, kept_, sweeping_, sweeps_, inner);
        a.check(kept_.fits(table_->holes().size(), nodes_));
    }
    // For a chain that cannot jump, so that its tables, but for few draws between them, are independent.
    void keep_tables_of_one_class() {
        for (u64 i = 1; i <= kept_.most(); ++i) {
            for (int k = 0; k < kDrawsBetween; ++k) draw_cells();
            kept_.add(i, *chain_, *table_);
        }
    }
    static constexpr int kDrawsBetween = 5;
    void clear() {
        if (!sweeping_) return;
        sweeps_ = 0;
        kept_.clear();
    }
    static CompletedTable::Parents parents_of(const GraphInterface& g) {
        const auto n = std::size_t(g.n());
        std::vector<std::uint8_t> dag(n * n);
        g.dag(dag.data());
        CompletedTable::Parents parents(n);
        for (std::size_t x = 0; x < n; ++x)
            for (std::size_t y = 0; y < n; ++y)
                if (dag[x * n + y]) parents[y].push_back(int(x));
        return parents;
    }
    static double total(const Score& score, const CompletedTable::Parents& parents) {
        double sum = 0;
        for (std::size_t y = 0; y < parents.size(); ++y) sum += score.local(int(y), parents[y]);
        return sum;
    }
};

}  // namespace czz
