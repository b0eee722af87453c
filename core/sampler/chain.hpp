// The Causal Zig-Zag (Schauer & Wienöbst 2024): a jump process on pairs (class γ, direction d), and what it
// accumulates.
//
//   jump  (γ, d) -> (η, d), η an Insert of γ where d = +1, a Delete where d = −1, with rate g(π(η) / π(γ)),
//   flip  (γ, d) -> (γ, −d)                                               with rate (Λ₋d − Λd)⁺,
//
// where Λ₊ and Λ₋ sum the insert and the delete rates of γ. Insert and Delete are each other's inverses with equal
// multiplicity, and g(t) = t g(1/t), so the flows that a jump adds to and takes from a state differ by Λ₋d − Λd, which
// the flips restore: π ⊗ uniform is stationary. With momentum ρ < 1 all rates above are multiplied by ρ, and Zanella's
// process (every Insert and Delete, d kept) runs beside it with weight σ = 1 − ρ.
#pragma once
#include "base/archive.hpp"
#include "base/rng.hpp"
#include "base/ziggurat.hpp"
#include "graph/operators.hpp"
#include "sampler/accumulate/batches.hpp"
#include "sampler/accumulate/class_table.hpp"
#include "sampler/accumulate/trace.hpp"
#include "target/process_settings.hpp"
#include <chrono>

namespace czz {

enum class Status {
    kRunning,
    kFrozen,    // the expected holding time is beyond 2^1000: nothing will happen any more
    kTooDense,  // see TooDense; the chain cannot go on
    kBroken,    // the score failed amid a jump; the chain cannot go on
};

constexpr double kLongest = 1000;  // binary logarithm of the longest expected holding time that anybody waits for
constexpr double kNever = 1e15;
using Clock = std::chrono::steady_clock;

struct Tally {
    u64 jumps = 0, inserts = 0, flips = 0;
    Holding time;     // total, in units of 2^unit
    double unit = 0;  // binary exponent of the unit of time

    template <class A>
    void state(A& a) {
        a(jumps, inserts, flips, time, unit);
    }
};

template <int W, class Target>
class Chain {
  public:
    Cpdag<W> graph;
    Target target;
    int direction = 1;
    double score;  // of the present class, from the same reference as the first one
    Rng rng;
    Status status = Status::kRunning;
    int dense_node = -1, dense_clique = 0;

    Tally tally;
    ClassTable classes;
    EdgeTimes edge_times;
    Batches batches;
    Trace trace;

    // Without classes to list nothing is accumulated but the tally.
    Chain(Cpdag<W> start, Target t, double momentum, int first_direction, double first_score, Rng r,
          std::size_t most_classes, std::size_t most_deltas, std::size_t trace_points, Loader* saved)
        : graph(std::move(start)), target(std::move(t)), direction(first_direction), score(first_score), rng(r),
          classes(most_classes, most_deltas), edge_times(graph.n), trace(trace_points), rho_(momentum),
          sigma_(1 - momentum), accumulates_(most_classes > 0), drawn_(graph.n) {
        if (saved) {
            state(*saved);
            return;
        }
        guarded([&] {
            target.rebuild(graph);
            look();
        });
    }

    // All that the next jump, and what is accumulated, depends on: a chain that is saved and loaded goes on as if
    // nothing had happened, bit for bit.
    template <class A>
    void state(A& a) {
        a.same(u64(graph.n));
        graph_state(graph, a);
        a(target, direction, score, rng, status, tally, classes, edge_times, batches, trace);
        a(rates_, unit_per_rate_, gap_, gap_factor_, timed_, visit_, drawn_, interval_, left_, began_);
        for (const auto& f : batches.firsts) a.check(f.b < graph.n);
        a.check(can_go_on());
    }

    bool can_go_on() const { return status == Status::kRunning || status == Status::kFrozen; }

    // Up to `jumps` jumps, or until the time is up; returns the jumps made.
    u64 run(u64 jumps, double seconds) {
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        const u64 before = tally.jumps;
        guarded([&] {
            for (u64 events = 1; status == Status::kRunning && tally.jumps - before < jumps; ++events) {
                if (events % 32 == 0 && Clock::now() > end) break;
                step();
            }
        });
        return tally.jumps - before;
    }

    // The length of the intervals between exchanges: 2^log2_interval of the time of the process. What was accumulated
    // is forgotten.
    void set_interval(double log2_interval) {
        status = status == Status::kFrozen ? Status::kRunning : status;
        forget();
        rescale(std::floor(log2_interval));
        interval_ = std::exp2(log2_interval - tally.unit);
        begin_interval();
    }
    // Go on to the end of the interval, and be ready for the next one; false where the seconds were over first or the
    // chain cannot go on. An interval in which `most_jumps` were made ends there. The law of the process at a time that
    // does not look at its path is the target's if it was so before; at a time found by counting jumps it is not.
    bool finish_interval(u64 most_jumps, Clock::time_point end) {
        bool finished = false;
        guarded([&] {
            for (u64 events = 1; can_go_on() && !(finished = tally.jumps - began_ >= most_jumps); ++events) {
                if (events % 32 == 0 && Clock::now() > end) break;
                const double leave = leaving();
                if ((finished = !hold_within(leave))) break;
                happen(leave);
            }
        });
        if (finished) begin_interval();
        return finished;
    }
    // So many jumps in no time, or fewer where nothing will happen any more: the way to learn the scale of time.
    // Returns the binary logarithm of the time that they would have taken by expectation.
    double explore(u64 jumps) {
        double log2_time = kMinusInf;
        const u64 before = tally.jumps;
        guarded([&] {
            while (can_go_on() && tally.jumps - before < jumps) {
                const double leave = leaving(), log2_mean = -rates_.log_unit * kLog2e - std::log2(leave);
                if (!(log2_mean < kLongest)) break;
                const double high = std::max(log2_time, log2_mean), low = std::min(log2_time, log2_mean);
                log2_time = high + std::log2(1 + std::exp2(low - high));
                happen(leave);
            }
        });
        return log2_time;
    }
    // Exchange the states of two chains with one score, not what they have accumulated.
    void swap_states(Chain& other) {
        if (accumulates_) book();
        if (other.accumulates_) other.book();
        std::swap(graph, other.graph);
        std::swap(direction, other.direction);
        std::swap(score, other.score);
        graph.changes.clear();
        for (int b = 0; b < graph.n; ++b) {
            const Cpdag<W>& was = other.graph;
            const Bits<W> moved = (was.pa[b] ^ graph.pa[b]) | (was.ch[b] ^ graph.ch[b]) | (was.ne[b] ^ graph.ne[b]);
            (moved & Bits<W>::first_n(b)).each([&](int a) {
                graph.changes.push_back({a, b, was.mark(a, b), graph.mark(a, b)});
            });
        }
        other.graph.changes = graph.changes;
        for (PairChange& c : other.graph.changes) std::swap(c.before, c.after);
        graph.reshaped = other.graph.reshaped = graph.all;
        arrive();
        other.arrive();
    }
    void set_target(Target t) {
        target = std::move(t);
        guarded([&] {
            target.rebuild(graph);
            look();
        });
    }

    // Forget what was accumulated, not where the chain is: the end of the warm-up.
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
        if (status == Status::kFrozen) spend({1, 1});  // it stays where it is for good
    }

    // The holding of the present class is booked when it is left; this books what there is of it now.
    void settle() {
        if (visit_.expected > 0) book();
    }
    std::vector<Batch> all_batches() {
        settle();
        return batches.all(graph, edge_times, tally.time.expected);
    }

    struct Rates {
        double insert = 0, remove = 0;  // Λ₊, Λ₋ in units of exp(log_unit)
        double log_unit = 0;

        template <class A>
        void state(A& a) {
            a(insert, remove, log_unit);
        }
    };
    const Rates& rates() const { return rates_; }
    double momentum() const { return rho_; }
    double flip_rate() const {  // in units of exp(log_unit)
        const double ahead = direction > 0 ? rates_.insert : rates_.remove;
        const double behind = direction > 0 ? rates_.remove : rates_.insert;
        return rho_ * std::max(0.0, behind - ahead);
    }

  private:
    double rho_, sigma_;
    bool accumulates_;
    Rates rates_;
    double unit_per_rate_ = 0;         // one over a rate of 1 in the units of rates_, in the unit of time
    double gap_ = 0, gap_factor_ = 1;  // between the units of Λ₊ and Λ₋: its logarithm, and exp(−|gap|)
    bool timed_ = false;               // a unit of time has been chosen
    Holding visit_;                    // to the present class, so far
    double interval_ = 0, left_ = 0;   // time between exchanges, and until the next one
    u64 began_ = 0;                    // the number of jumps when the interval began
    Snapshot<W> drawn_;                // the class that was drawn last

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

    void step() {
        const double leave = leaving();
        hold(leave);
        if (status != Status::kFrozen) happen(leave);
    }
    // The rate of all events.
    double leaving() const {
        const double ahead = direction > 0 ? rates_.insert : rates_.remove;
        const double behind = direction > 0 ? rates_.remove : rates_.insert;
        return rho_ * std::max(ahead, behind) + sigma_ * (ahead + behind);
    }
    void happen(double leave) {
        double u = rng.uniform() * leave;
        const double insert = (direction > 0 ? rho_ + sigma_ : sigma_) * rates_.insert;
        const double remove = (direction < 0 ? rho_ + sigma_ : sigma_) * rates_.remove;
        if (u < insert) {
            jump(true, u / insert);
        } else if ((u -= insert) < remove) {
            jump(false, u / remove);
        } else {
            direction = -direction;
            ++tally.flips;
        }
    }

    void jump(bool insert, double share) {
        const double total = insert ? target.insert_total() : target.delete_total();
        const Operator<W> op = target.draw(graph, insert, share * total, rng);
        if (accumulates_) book();
        graph.move(op.insert, op.x, op.y, op.K);
        if (accumulates_) {
            classes.fetch_slot(graph.hash);
            note_changes();
            batches.jumped(graph, edge_times, tally.time.expected);
        }
        score += target.last_difference;
        ++tally.jumps;
        tally.inserts += insert;
        target.update(graph, op.x, op.y);
        if (accumulates_) classes.fetch_record(graph.hash);
        look();
    }
    void note_changes() {
        for (const PairChange& c : graph.changes) {
            PairTimes& times = edge_times[c];
            batches.change(c, times);
            times.leave(c.before, tally.time.expected);
            drawn_.touched.set(c.b);
        }
    }
    void begin_interval() {
        left_ = interval_;
        began_ = tally.jumps;
    }
    // After an exchange.
    void arrive() {
        if (accumulates_) note_changes();
        guarded([&] {
            target.replace(graph);
            look();
        });
    }

    void book() {
        classes.add(graph, visit_);
        batches.hold(visit_.expected, graph.edges, score);
        visit_ = {};
    }

    // Λ₊ and Λ₋ in common units.
    void look() {
        rates_.insert = target.insert_total();
        rates_.remove = target.delete_total();
        const double up = rates_.insert > 0 ? target.insert_log_scale(graph) : kMinusInf;
        const double down = rates_.remove > 0 ? target.delete_log_scale(graph) : kMinusInf;
        const double unit = std::max(up, down);
        if (up - down != gap_) gap_factor_ = fast_exp(-std::abs(gap_ = up - down));
        if (up < unit) rates_.insert *= gap_factor_;
        if (down < unit) rates_.remove *= gap_factor_;
        if (unit == rates_.log_unit && timed_) return;
        rates_.log_unit = unit;
        unit_per_rate_ = exp_shifted(-unit, tally.unit);
    }

    // Spend the time until the next event here.
    void hold(double leave) {
        double mean = unit_per_rate_ / leave;
        if (!timed_ || !(mean < 0x1p+400)) {
            const double log2_mean = -rates_.log_unit * kLog2e - std::log2(leave);
            if (!(log2_mean < kLongest)) status = Status::kFrozen;
            // Where nothing can ever happen the unit is kNever, beyond that of any rate however low.
            const double unit = std::clamp(std::floor(log2_mean), -0.1 * kNever, 0.1 * kNever);
            rescale(std::isfinite(log2_mean) ? unit : kNever);
            mean = unit_per_rate_ / leave;
            if (!(mean < 0x1p+400)) mean = 1;
        }
        spend({mean, mean * exponential(rng)});
    }
    // The same as far as the interval goes; false where it ends here. Holding times have no memory, so the rest of this
    // one is drawn afresh in the next interval. By expectation, the lesser of a holding time with mean m and the time r
    // that is left is m (1 - exp(-r / m)).
    bool hold_within(double leave) {
        const double mean = unit_per_rate_ / leave;  // infinite where nothing can happen
        const double drawn = mean * exponential(rng);
        const double x = left_ / mean;
        const double expected = x < 1e-3 ? left_ * (1 - x / 2 * (1 - x / 3 * (1 - x / 4))) : mean * (1 - fast_exp(-x));
        if (!(drawn < left_)) {
            spend({expected, left_});
            return false;
        }
        left_ -= drawn;
        spend({expected, drawn});
        return true;
    }
    void spend(const Holding& h) {
        tally.time += h;
        if (!accumulates_) return;
        visit_ += h;
        trace.hold(tally.time.drawn, graph.edges, score, direction,
                   [&](std::vector<u32>& out) { return drawn_.look(graph, out); });
    }
    void rescale(double unit) {
        const int power = timed_ ? int(std::clamp(tally.unit - unit, -4000.0, 4000.0)) : 0;
        timed_ = true;
        tally.unit = unit;
        unit_per_rate_ = exp_shifted(-rates_.log_unit, unit);
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
