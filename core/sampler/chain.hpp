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
// (target/restriction.hpp).
//
// One step: find the total rate of all events, hold for an exponential time with that rate, choose an event in
// proportion to its rate, apply it, and refresh the rates of the rows that it changed.
#pragma once
#include "base/archive.hpp"
#include "base/rng.hpp"
#include "base/ziggurat.hpp"
#include "graph/completion.hpp"
#include "graph/operators.hpp"
#include "sampler/accumulate/batches.hpp"
#include "sampler/accumulate/class_table.hpp"
#include "sampler/accumulate/trace.hpp"
#include "sampler/chain_status.hpp"
#include "sampler/class_changes.hpp"
#include "sampler/excursions/excursions.hpp"
#include "sampler/listed_operators.hpp"
#include "sampler/loaded_state.hpp"
#include "target/process_settings.hpp"
#include "target/restriction.hpp"
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
    u64 refused = 0;  // proposals

    Tally tally;
    ClassTable classes;
    EdgeTimes edge_times;
    Batches batches;
    Trace trace;

    // With most_classes = 0 nothing but the tally is accumulated.
    Chain(Cpdag<W> start, Target t, double momentum, int first_direction, double first_score, Rng r,
          std::size_t most_classes, std::size_t most_deltas, std::size_t trace_points,
          std::unique_ptr<Excursions> excursions, const Arrows* known, Loader* saved)
        : graph(std::move(start)), target(std::move(t)), direction(first_direction), score(first_score), rng(r),
          classes(most_classes, most_deltas), edge_times(graph.n), trace(trace_points), rho_(momentum),
          sigma_(1 - momentum), accumulates_(most_classes > 0), drawn_(graph.n), excursions_(std::move(excursions)),
          restriction_(known ? std::make_unique<Restriction<W>>(*known, graph) : nullptr) {
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
        a(target, direction, score, rng, status, tally, classes, edge_times, batches, trace);
        a(rates_, unit_per_rate_, gap_, gap_factor_, has_unit_, visit_, drawn_, interval_, left_, began_);
        if (excursions_) a(excursions_->counts, excursion_rate_);
        if (restriction_) a(refused, stuck_, is_listed_);
        a.check(can_continue());
        if constexpr (A::kLoads) LoadedState::finish(*this, a);
    }

    bool can_continue() const { return status == Status::kRunning || status == Status::kFrozen; }

    // Runs `jumps` jumps, or fewer if the time is up first; returns the number of jumps made.
    u64 run(u64 jumps, double seconds) {
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        const u64 before = tally.jumps;
        guarded([&] {
            for (u64 events = 1; status == Status::kRunning && tally.jumps - before < jumps && !spent(); ++events) {
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
                if (!(log2_mean < kLongest) || status == Status::kFrozen) break;
                const double high = std::max(log2_time, log2_mean), low = std::min(log2_time, log2_mean);
                log2_time = high + std::log2(1 + std::exp2(low - high));
                apply(choose_event(total));
            }
        });
        return log2_time;
    }
    // Exchanges the states of two chains that have the same score, not their accumulators.
    void swap_states(Chain& other) {
        if (accumulates_) add_visit();
        if (other.accumulates_) other.add_visit();
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
        excursions_ = std::move(excursions);
        set_unit_per_rate(unit_per_rate_);
    }
    // The mark of a pair a < b, with what knowledge orients.
    Mark mark(int a, int b) const { return restriction_ ? restriction_->mark(graph, a, b) : graph.mark(a, b); }
    int nodes() const { return graph.n; }
    bool refuses(const Operator<W>& op) {
        if (!restriction_) return false;
        std::swap(graph.changes, changes_);  // of the last jump
        graph.move(op.insert, op.x, op.y, op.K);
        const bool accepted = restriction_->accepts(graph);
        undo(op);
        std::swap(graph.changes, changes_);
        return !accepted;
    }
    // The operators that the chain has listed, or null.
    const ListedOperators<W>* listed() const { return is_listed_ ? &listed_ : nullptr; }
    // Lists the operators, where the target can.
    void list_operators() {
        if constexpr (has_listing) {
            listed_.find([&](auto&& f) { target.each_difference(graph, f); },
                         [&](const Operator<W>& op) { return !refuses(op); });
            is_listed_ = true;
            rates_ = listed_.rates();
            set_unit_per_rate(exp_shifted(-rates_.log_unit, tally.unit));
        }
    }
    const Excursions* excursions() const { return excursions_.get(); }
    bool spent() const { return excursions_ && excursions_->counts.made >= excursions_->settings().most; }
    // Moves to a class found by a walk among orders from hot to cold, which need not leave the target invariant.
    // Returns false, and stays, if that class is outside the bounds or its log weight is lower by more than `slack`.
    bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) {
        list_class(graph, restriction_.get(), arrows_, lines_);
        const ExcursionProposal& p = excursions_->anneal(arrows_, lines_, powers, steps, rng);
        if (!(p.log_ratio >= -slack)) return false;
        replace_graph(complete_dag(bits_of<W>(p.parents), p.order), p.score_difference);
        return true;
    }
    void set_target(Target t) {
        target = std::move(t);
        guarded([&] {
            target.rebuild(graph);
            refresh_rates();
        });
    }

    // Clears the accumulators and keeps the state, as at the end of the warm-up.
    void forget() {
        const double unit = tally.unit;
        tally = {};
        tally.unit = unit;
        visit_ = {};
        classes.clear();
        edge_times.clear();
        batches.clear(score);
        trace.clear();
        drawn_.clear();
        if (excursions_) excursions_->counts = {};
        refused = 0;
        if (status == Status::kFrozen) add_time({1, 1});  // all time is spent in the present class
    }

    // The time in the present class is added to the accumulators when it is left; this adds the time so far.
    void flush_visit() {
        if (visit_.expected > 0) add_visit();
    }
    std::vector<Batch> all_batches() {
        flush_visit();
        return batches.all(*this, edge_times, tally.time.expected);
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
    bool accumulates_;
    Rates rates_;
    double unit_per_rate_ = 0;         // mean holding time, in the unit of time, where the total rate is exp(log_unit)
    double gap_ = 0, gap_factor_ = 1;  // log ratio of the units of Λ₊ and Λ₋, and exp(−|gap|)
    bool has_unit_ = false;            // a unit of time has been chosen
    Holding visit_;                    // time in the present class that is not yet in the accumulators
    double interval_ = 0, left_ = 0;   // time between exchanges, and until the next one
    u64 began_ = 0;                    // the number of jumps when the interval began
    Snapshot<W> drawn_;                // the class of the last draw of the trace
    std::unique_ptr<Excursions> excursions_;
    double excursion_rate_ = 0;  // in units of exp(log_unit)
    Lists arrows_, lines_;       // working space of excursions
    std::unique_ptr<Restriction<W>> restriction_;
    u32 stuck_ = 0;  // refused proposals since the last jump, up to kStuck
    bool is_listed_ = false;
    ListedOperators<W> listed_;
    std::vector<PairChange> changes_;  // working space

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
        if (accumulates_) add_visit();
        graph.move(op.insert, op.x, op.y, op.K);
        if (restriction_ && !restriction_->follow(graph)) return refuse(op);
        if (accumulates_) {
            classes.prefetch_slot(graph.hash);
            add_changes();
            batches.jumped(*this, edge_times, tally.time.expected);
        }
        score += score_difference;
        ++tally.jumps;
        tally.inserts += insert;
        stuck_ = 0;
        target.update(graph, op.x, op.y);
        if (accumulates_) classes.prefetch_record(graph.hash);
        refresh_rates();
    }
    DrawnOperator<W> draw(bool insert, double share) {
        if (is_listed_) return listed_.draw(insert, share);
        const double total = insert ? target.insert_total() : target.delete_total();
        return target.draw(graph, insert, share * total, rng);
    }
    // After a move the neighbors above y are the clique of the inverse operator.
    void undo(const Operator<W>& op) { graph.move(!op.insert, op.x, op.y, Bits<W>(graph.above[op.y])); }
    // The rates, which depend on the class alone, are still right, and the visit to it has been added already, so its
    // g.changes are not used again.
    [[gnu::noinline]] void refuse(const Operator<W>& op) {
        undo(op);
        ++refused;
        if (op.insert == (direction > 0) && (rho_ == 1 || rng.uniform() < rho_)) {
            direction = -direction;
            ++tally.flips;
        }
        if (stuck_ < kStuck && ++stuck_ == kStuck && is_alone()) status = Status::kFrozen;
    }
    // Whether the present class is the only one. All that agree are connected, and from any class but that of the
    // required arrows alone a delete leads to another.
    bool is_alone() {
        if (std::size_t(graph.edges) > restriction_->required_count()) return false;
        std::vector<Operator<W>> all;
        target.each_rate(graph, [&](const Operator<W>& op, double) { all.push_back(op); });
        return std::ranges::all_of(all, [&](const Operator<W>& op) { return refuses(op); });
    }
    // Out of line: excursions are rare and long.
    [[gnu::noinline]] void make_excursion() {
        list_class(graph, restriction_.get(), arrows_, lines_);
        const ExcursionProposal& p = excursions_->propose(arrows_, lines_, rng);
        if (p.log_ratio == kMinusInf) return;
        Cpdag<W> next = complete_dag(bits_of<W>(p.parents), p.order);
        list_class(next, restriction_.get(), arrows_, lines_);
        const double log_ratio = p.log_ratio - excursions_->log_size(arrows_, lines_);
        if (!(rng.uniform() < fast_exp(std::min(0.0, log_ratio)))) return;
        ++excursions_->counts.accepted;
        if (next.hash == graph.hash) return;
        ++excursions_->counts.changed;
        replace_graph(std::move(next), p.score_difference);
    }
    [[gnu::noinline]] void replace_graph(Cpdag<W> next, double score_difference) {
        if (accumulates_) add_visit();
        std::swap(graph, next);
        score += score_difference;
        list_changes(next, graph);
        after_replacement();
    }
    void add_changes() {
        for (const PairChange& c : restriction_ ? restriction_->changes : graph.changes) {
            PairTimes& times = edge_times[c];
            batches.change(c, times);
            times.leave(c.before, tally.time.expected);
            drawn_.touched.set(c.b);
        }
        if (!restriction_) return;
        for (const PairChange& c : graph.changes) drawn_.touched.set(c.b);
    }
    void begin_interval() {
        left_ = interval_;
        began_ = tally.jumps;
    }
    void after_replacement() {
        if (restriction_) restriction_->follow(graph);
        if (accumulates_) add_changes();
        guarded([&] {
            target.replace(graph);
            refresh_rates();
        });
    }

    void add_visit() {
        classes.add(graph, visit_);
        batches.hold(visit_.expected, graph.edges, score);
        visit_ = {};
    }

    void refresh_rates() {  // Λ₊ and Λ₋ of the present class, on arrival
        find_rates();
        if (restriction_ && has_listing && all_trials_refused()) list_operators();
    }
    static constexpr bool has_listing =
        requires(Target t, const Cpdag<W>& g) { t.each_difference(g, [](const Operator<W>&, double, double) {}); };
    bool all_trials_refused() {
        const double both = rates_.insert + rates_.remove;
        if (!(both > 0)) return false;
        for (int i = 0; i < kTrials; ++i) {
            const double u = rng.uniform() * both;
            const bool insert = u < rates_.insert;
            const double share = insert ? u / rates_.insert : (u - rates_.insert) / rates_.remove;
            if (!refuses(draw(insert, std::min(share, 0x1.fffffffffffffp-1)).op)) return false;
        }
        return true;
    }
    void find_rates() {  // in a common unit
        is_listed_ = false;
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
        const bool on = excursions_ && has_unit_;
        excursion_rate_ = on ? unit_per_rate * fast_exp((excursions_->settings().log2_rate + tally.unit) * kLn2) : 0;
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
        if (!accumulates_) return;
        visit_ += h;
        trace.hold(tally.time.drawn, graph.edges, score, direction,
                   [&](std::vector<u32>& out) { return drawn_.append_changes(graph, out); });
    }
    void rescale(double unit) {
        const int power = has_unit_ ? int(std::clamp(tally.unit - unit, -4000.0, 4000.0)) : 0;
        has_unit_ = true;
        tally.unit = unit;
        set_unit_per_rate(exp_shifted(-rates_.log_unit, unit));
        if (power == 0) return;
        tally.time.scale(power);
        visit_.scale(power);
        classes.rescale(power);
        edge_times.rescale(power);
        batches.rescale(power);
        trace.rescale(power);
    }
};

}  // namespace czz
