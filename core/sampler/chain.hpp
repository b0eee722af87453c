// The Causal Zig-Zag (Schauer & Wienöbst 2024): a jump process on pairs (class γ, direction d), and what it
// accumulates.
//
//   jump  (γ, d) -> (η, d), η an Insert of γ where d = +1, a Delete where d = −1, with rate g(π(η) / π(γ)),
//   flip  (γ, d) -> (γ, −d)                                               with rate (Λ₋d − Λd)⁺,
//
// where Λ₊ and Λ₋ sum the insert and the delete rates of γ. Insert and Delete are each other's inverses with equal
// multiplicity, and g(t) = t g(1/t), so the flows that a jump adds to and takes from a state differ by Λ₋d − Λd, which
// the flips restore: π ⊗ uniform is stationary. With momentum ρ < 1 all rates above are multiplied by ρ, and Zanella's
// process (every Insert and Delete, d kept) is superposed with weight σ = 1 − ρ. Order excursions, a kernel K that
// leaves π invariant (excursions/excursions.hpp), may be made at the times of a Poisson process with a fixed rate κ, d
// kept: they add κ (K − I) to the generator. With knowledge, proposed jumps to classes that disagree are refused
// (sampler/refusals.hpp).
//
// One step: find the total rate of all events, hold for an exponential time with that rate, choose an event in
// proportion to its rate, apply it, and refresh the rates of the rows that it changed.
#pragma once
#include "base/archive.hpp"
#include "base/rng.hpp"
#include "base/ziggurat.hpp"
#include "graph/operators.hpp"
#include "sampler/accumulate/accumulators.hpp"
#include "sampler/chain_settings.hpp"
#include "sampler/chain_status.hpp"
#include "sampler/excursions/class_excursions.hpp"
#include "sampler/loaded_state.hpp"
#include "sampler/refusals.hpp"
#include <chrono>

namespace czz {

template <int W, class Target>
class Chain {
  public:
    Cpdag<W> graph;
    Target target;
    int direction = 1;
    double score;  // of the present class, relative to the same reference as first_score
    Rng rng;
    Status status = Status::kRunning;
    int dense_node = -1, dense_clique = 0;
    Tally tally;
    Accumulators<W> accumulated;

    Chain(Cpdag<W> start, Target t, const ChainSettings& s, std::unique_ptr<Excursions> excursions, Loader* saved)
        : graph(std::move(start)), target(std::move(t)), direction(s.direction), score(s.first_score), rng(s.rng),
          accumulated(graph.n, s.most_classes, s.most_deltas, s.trace_points), rho_(s.momentum), sigma_(1 - s.momentum),
          excursions_(std::move(excursions)),
          refusals_(s.arrows ? std::make_unique<Refusals<W>>(*s.arrows, graph) : nullptr) {
        if (saved) {
            state(*saved);
            return;
        }
        guarded([&] {
            target.rebuild(graph);
            refresh_rates();
        });
    }

    // Everything that the next step and the accumulators depend on: a chain that is saved and loaded continues
    // bit for bit.
    template <class A>
    void state(A& a) {
        a.same(u64(graph.n));
        graph_state(graph, a);
        Accumulators<W>& acc = accumulated;
        a(target, direction, score, rng, status, tally, acc.classes, acc.edge_times, acc.batches, acc.trace);
        a(rates_, unit_per_rate_, gap_, gap_factor_, has_unit_, acc.visit, acc.drawn, interval_, left_, began_);
        if (excursions_) a(excursions_.counts(), excursion_rate_);
        if (refusals_) a(*refusals_);
        a.check(can_continue());
        if constexpr (A::kLoads) LoadedState::finish(*this, a);
    }

    bool can_continue() const { return status == Status::kRunning || status == Status::kFrozen; }

    // Runs `jumps` jumps, or fewer if the time is up first; returns the number of jumps made.
    u64 run(u64 jumps, double seconds) {
        const auto end = time_in(seconds);
        const u64 before = tally.jumps;
        guarded([&] {
            for (u64 events = 1; status == Status::kRunning && tally.jumps - before < jumps && !excursions_.spent();
                 ++events) {
                if (events % 32 == 0 && Clock::now() > end) break;
                step();
            }
        });
        return tally.jumps - before;
    }

    // Sets the time of the process between two exchanges to 2^log2_interval, and clears the accumulators.
    void set_interval(double log2_interval) {
        status = status == Status::kFrozen ? Status::kRunning : status;
        forget();
        rescale(std::floor(log2_interval));
        interval_ = std::exp2(log2_interval - tally.unit);
        begin_interval();
    }
    // Runs to the end of the interval and begins the next one; returns false if `end` came first or the chain cannot
    // continue. An interval ends early after `most_jumps` jumps. A fixed interval leaves the target invariant; one that
    // ends after a number of jumps does not, because its end depends on the path.
    bool finish_interval(u64 most_jumps, Clock::time_point end) {
        bool finished = false;
        guarded([&] {
            for (u64 events = 1; can_continue() && !(finished = tally.jumps - began_ >= most_jumps); ++events) {
                if (events % 32 == 0 && Clock::now() > end) break;
                const double total = total_rate();
                if ((finished = !hold_within_interval(total))) break;
                apply(choose_event(total));
            }
        });
        if (finished) begin_interval();
        return finished;
    }
    // Makes `jumps` jumps without adding time, or fewer if the chain is frozen. Returns the binary logarithm of their
    // expected time, from which intervals are chosen.
    double explore(u64 jumps) {
        double log2_time = kMinusInf;
        const u64 before = tally.jumps;
        guarded([&] {
            while (can_continue() && tally.jumps - before < jumps) {
                const double total = total_rate(), log2_mean = -rates_.log_unit * kLog2e - std::log2(total);
                if (!(log2_mean < kLongest)) break;
                const double high = std::max(log2_time, log2_mean), low = std::min(log2_time, log2_mean);
                log2_time = high + std::log2(1 + std::exp2(low - high));
                apply(choose_event(total));
            }
        });
        return log2_time;
    }
    // Exchanges the states of two chains that have the same score, not their accumulators.
    void swap_states(Chain& other) {
        leave();
        other.leave();
        std::swap(graph, other.graph);
        std::swap(direction, other.direction);
        std::swap(score, other.score);
        list_changes(other.graph, graph);
        other.graph.changes = graph.changes;
        for (PairChange& c : other.graph.changes) std::swap(c.before, c.after);
        other.graph.reshaped = graph.all;
        after_replacement();
        other.after_replacement();
    }
    // Excursions from now on, or none.
    void set_excursions(std::unique_ptr<Excursions> excursions) {
        excursions_ = ClassExcursions<W>(std::move(excursions));
        set_unit_per_rate(unit_per_rate_);
    }
    // The mark of a pair a < b, with what knowledge orients.
    Mark mark(int a, int b) const { return refusals_ ? restriction()->mark(graph, a, b) : graph.mark(a, b); }
    int nodes() const { return graph.n; }
    u64 refused() const { return refusals_ ? refusals_->refused : 0; }
    bool refuses(const Operator<W>& op) { return refusals_ && refusals_->refuses(graph, op); }
    // The operators that the chain has listed, or null.
    const ListedOperators<W>* listed() const { return refusals_ ? refusals_->listed() : nullptr; }
    // Lists the operators, with knowledge and where the target can.
    void list_operators() {
        if constexpr (has_listing) {
            if (!refusals_) return;
            rates_ = refusals_->list(graph, target);
            set_unit_per_rate(exp_shifted(-rates_.log_unit, tally.unit));
        }
    }
    const ClassExcursions<W>& excursions() const { return excursions_; }
    // Moves to a class found by a walk among orders, if its weight is not too low; see ClassExcursions.
    bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) {
        auto move = excursions_.anneal(graph, restriction(), powers, steps, slack, rng);
        if (move) replace_graph(std::move(*move));
        return move.has_value();
    }
    void set_target(Target t) {
        if constexpr (requires { t.take_memory(target); }) t.take_memory(target);
        target = std::move(t);
        guarded([&] {
            target.rebuild(graph);
            refresh_rates();
        });
    }

    // The target of another score, by which the present class has this value. The time so far counts with the old one.
    void set_score(Target t, double value) {
        flush_visit();
        if (status == Status::kFrozen) status = Status::kRunning;
        set_target(std::move(t));
        score = value;
    }

    // Clears the accumulators and keeps the state, as at the end of the warm-up.
    void forget() {
        const double unit = tally.unit;
        tally = {};
        tally.unit = unit;
        accumulated.clear(score);
        if (excursions_) excursions_.counts() = {};
        if (refusals_) refusals_->refused = 0;
        if (status == Status::kFrozen) add_time({1, 1});  // all time is spent in the present class
    }

    // The time in the present class is added to the accumulators when it is left; this adds the time so far.
    void flush_visit() {
        if (accumulated.visit.expected > 0) leave();
    }
    std::vector<Batch> all_batches() {
        flush_visit();
        return accumulated.batches.all(*this, accumulated.edge_times, tally.time.expected);
    }

    const Rates& rates() const { return rates_; }
    double momentum() const { return rho_; }
    double flip_rate() const {  // in units of exp(log_unit)
        const double ahead = direction > 0 ? rates_.insert : rates_.remove;
        const double behind = direction > 0 ? rates_.remove : rates_.insert;
        return rho_ * std::max(0.0, behind - ahead);
    }

  private:
    friend struct LoadedState;

    double rho_, sigma_;
    Rates rates_;
    double unit_per_rate_ = 0;         // mean holding time, in the unit of time, where the total rate is exp(log_unit)
    double gap_ = 0, gap_factor_ = 1;  // log ratio of the units of Λ₊ and Λ₋, and exp(−|gap|)
    bool has_unit_ = false;            // a unit of time has been chosen
    double interval_ = 0, left_ = 0;   // time between exchanges, and until the next one
    u64 began_ = 0;                    // the number of jumps when the interval began
    ClassExcursions<W> excursions_;
    double excursion_rate_ = 0;              // in units of exp(log_unit)
    std::unique_ptr<Refusals<W>> refusals_;  // null without knowledge

    template <class F>
    void guarded(F&& f) {
        try {
            f();
        } catch (const TooDense& e) {
            status = Status::kTooDense;
            dense_node = e.node;
            dense_clique = e.clique;
        } catch (...) {
            status = Status::kBroken;
            throw;
        }
    }

    enum class Kind { kInsert, kDelete, kFlip, kExcursion };
    struct Choice {
        Kind kind;
        double share;  // of a jump: uniform in [0, 1), the position among the rates of its kind
    };

    void step() {
        const double total = total_rate();
        hold(total);
        if (status == Status::kFrozen) return;
        apply(choose_event(total));
    }
    double total_rate() const {
        const double ahead = direction > 0 ? rates_.insert : rates_.remove;
        const double behind = direction > 0 ? rates_.remove : rates_.insert;
        return rho_ * std::max(ahead, behind) + sigma_ * (ahead + behind) + excursion_rate_;
    }
    Choice choose_event(double total) {
        double u = rng.uniform() * total;
        const double insert = (direction > 0 ? rho_ + sigma_ : sigma_) * rates_.insert;
        const double remove = (direction < 0 ? rho_ + sigma_ : sigma_) * rates_.remove;
        if (u < insert) return {Kind::kInsert, u / insert};
        if ((u -= insert) < remove) return {Kind::kDelete, u / remove};
        if (u - remove < excursion_rate_) return {Kind::kExcursion, 0};
        return {Kind::kFlip, 0};
    }
    void apply(const Choice& choice) {
        if (choice.kind == Kind::kFlip) {  // the rates depend on the class alone
            direction = -direction;
            ++tally.flips;
        } else if (choice.kind == Kind::kExcursion) {
            make_excursion();
        } else {
            jump(choice.kind == Kind::kInsert, choice.share);
        }
    }

    void jump(bool insert, double share) {
        const auto [op, score_difference] = draw(insert, share);
        leave();
        graph.move(op.insert, op.x, op.y, op.K);
        if (refusals_ && !refusals_->follow(graph, op)) return reflect(insert);
        if (accumulated.on) {
            accumulated.classes.prefetch_slot(graph.hash);
            add_changes();
            accumulated.batches.jumped(*this, accumulated.edge_times, tally.time.expected);
        }
        score += score_difference;
        ++tally.jumps;
        tally.inserts += insert;
        target.update(graph, op.x, op.y);
        if (accumulated.on) accumulated.classes.prefetch_record(graph.hash);
        refresh_rates();
    }
    DrawnOperator<W> draw(bool insert, double share) {
        if (const auto* all = listed()) return all->draw(insert, share);
        const double total = insert ? target.insert_total() : target.delete_total();
        return target.draw(graph, insert, share * total, rng);
    }
    // After a refused proposal. The rates, which depend on the class alone, are still right, and the visit to it has
    // been added already, so its g.changes are not used again.
    [[gnu::noinline]] void reflect(bool insert) {
        if (insert != (direction > 0) || (rho_ < 1 && rng.uniform() >= rho_)) return;
        direction = -direction;
        ++tally.flips;
    }
    // Out of line: excursions are rare and long.
    [[gnu::noinline]] void make_excursion() {
        if (auto move = excursions_.make(graph, restriction(), rng)) replace_graph(std::move(*move));
    }
    [[gnu::noinline]] void replace_graph(typename ClassExcursions<W>::Move move) {
        leave();
        std::swap(graph, move.to);
        score += move.score_difference;
        list_changes(move.to, graph);
        after_replacement();
    }
    Restriction<W>* restriction() const { return refusals_ ? &refusals_->restriction : nullptr; }
    void leave() {
        if (accumulated.on) accumulated.leave(graph, score);
    }
    void add_changes() {
        accumulated.change(refusals_ ? restriction()->changes : graph.changes, tally.time.expected);
        if (!refusals_) return;
        for (const PairChange& c : graph.changes) accumulated.drawn.touched.set(c.b);
    }
    void begin_interval() {
        left_ = interval_;
        began_ = tally.jumps;
    }
    void after_replacement() {
        if (refusals_) restriction()->follow(graph);
        if (accumulated.on) add_changes();
        guarded([&] {
            target.replace(graph);
            refresh_rates();
        });
    }

    void refresh_rates() {  // Λ₊ and Λ₋ of the present class, on arrival
        find_rates();
        if (!refusals_ || !has_listing) return;
        auto drawn = [&](bool insert, double share) { return draw(insert, share); };
        if (refusals_->refuses_all_trials(graph, rates_, rng, drawn)) list_operators();
    }
    static constexpr bool has_listing =
        requires(Target t, const Cpdag<W>& g) { t.each_difference(g, [](const Operator<W>&, double, double) {}); };
    void find_rates() {  // in a common unit
        if (refusals_) refusals_->unlist();
        rates_.insert = target.insert_total();
        rates_.remove = target.delete_total();
        const double up = rates_.insert > 0 ? target.insert_log_scale(graph) : kMinusInf;
        const double down = rates_.remove > 0 ? target.delete_log_scale(graph) : kMinusInf;
        const double unit = std::max(up, down);
        if (up - down != gap_) gap_factor_ = fast_exp(-std::abs(gap_ = up - down));
        if (up < unit) rates_.insert *= gap_factor_;
        if (down < unit) rates_.remove *= gap_factor_;
        if (unit == rates_.log_unit && has_unit_) return;
        rates_.log_unit = unit;
        set_unit_per_rate(exp_shifted(-unit, tally.unit));
    }

    void set_unit_per_rate(double unit_per_rate) {
        unit_per_rate_ = unit_per_rate;
        excursion_rate_ = excursions_ && has_unit_ ? unit_per_rate * excursions_.rate(tally.unit) : 0;
    }

    // Adds the time until the next event: its expectation, and an exponential draw.
    void hold(double total) {
        double mean = unit_per_rate_ / total;
        if (!has_unit_ || !(mean < 0x1p+400)) {
            const double log2_mean = -rates_.log_unit * kLog2e - std::log2(total);
            if (!(log2_mean < kLongest)) status = Status::kFrozen;
            // kNever, where no rate is positive, is larger than the unit of any positive rate.
            const double unit = std::clamp(std::floor(log2_mean), -0.1 * kNever, 0.1 * kNever);
            rescale(std::isfinite(log2_mean) ? unit : kNever);
            mean = unit_per_rate_ / total;
            if (!(mean < 0x1p+400)) mean = 1;
        }
        add_time({mean, mean * exponential(rng)});
    }
    // The same, cut off at the end of the interval; returns false if that comes first. Holding times are memoryless, so
    // the next interval draws a new one. The minimum of a holding time with mean m and the remaining time r has the
    // expectation m (1 - exp(-r / m)).
    bool hold_within_interval(double total) {
        const double mean = unit_per_rate_ / total;  // infinite where no rate is positive
        const double drawn = mean * exponential(rng);
        const double x = left_ / mean;
        const double expected = x < 1e-3 ? left_ * (1 - x / 2 * (1 - x / 3 * (1 - x / 4))) : mean * (1 - fast_exp(-x));
        if (!(drawn < left_)) {
            add_time({expected, left_});
            return false;
        }
        left_ -= drawn;
        add_time({expected, drawn});
        return true;
    }
    void add_time(const Holding& h) {
        tally.time += h;
        if (accumulated.on) accumulated.hold(h, tally.time.drawn, graph, score, direction);
    }
    void rescale(double unit) {
        const int power = has_unit_ ? int(std::clamp(tally.unit - unit, -4000.0, 4000.0)) : 0;
        has_unit_ = true;
        tally.unit = unit;
        set_unit_per_rate(exp_shifted(-rates_.log_unit, unit));
        if (power == 0) return;
        tally.time.scale(power);
        accumulated.rescale(power);
    }
};

}  // namespace czz
