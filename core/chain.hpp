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
#include "batches.hpp"
#include "class_table.hpp"
#include "law.hpp"
#include "operators.hpp"
#include "rng.hpp"
#include "state.hpp"
#include "trace.hpp"
#include <chrono>

namespace czz {

enum class Status {
    kRunning,
    kFrozen,    // the expected holding time is beyond 2^1000: nothing will happen any more
    kTooDense,  // see TooDense; the chain cannot go on
    kBroken,    // the score failed amid a jump; the chain cannot go on
};

constexpr double kNever = 1e15;

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
    double score = 0;  // of the present class, relative to the first
    Rng rng;
    Status status = Status::kRunning;
    int dense_node = -1, dense_clique = 0;

    Tally tally;
    ClassTable classes;
    EdgeTimes edge_times;
    Batches batches;
    Trace trace;

    Chain(Cpdag<W> start, Target t, double momentum, int first_direction, Rng r, std::size_t most_classes,
          std::size_t most_deltas, std::size_t trace_points, Loader* saved)
        : graph(std::move(start)), target(std::move(t)), direction(first_direction), rng(r),
          classes(most_classes, most_deltas), edge_times(graph.n), trace(trace_points), rho_(momentum),
          sigma_(1 - momentum), drawn_(graph.n) {
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
        a(rates_, unit_per_rate_, gap_, gap_factor_, timed_, visit_, drawn_);
        for (const auto& f : batches.firsts) a.check(f.b < graph.n);
        a.check(status == Status::kRunning || status == Status::kFrozen);
    }

    // Up to `jumps` jumps, or until the time is up; returns the jumps made.
    u64 run(u64 jumps, double seconds) {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        const u64 before = tally.jumps;
        guarded([&] {
            for (u64 events = 1; status == Status::kRunning && tally.jumps - before < jumps; ++events) {
                if (events % 32 == 0 && std::chrono::steady_clock::now() > end) break;
                step();
            }
        });
        return tally.jumps - before;
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
    Rates rates_;
    double unit_per_rate_ = 0;         // one over a rate of 1 in the units of rates_, in the unit of time
    double gap_ = 0, gap_factor_ = 1;  // between the units of Λ₊ and Λ₋: its logarithm, and exp(−|gap|)
    bool timed_ = false;               // a unit of time has been chosen
    Holding visit_;                    // to the present class, so far
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
        const double ahead = direction > 0 ? rates_.insert : rates_.remove;
        const double behind = direction > 0 ? rates_.remove : rates_.insert;
        const double leave = rho_ * std::max(ahead, behind) + sigma_ * (ahead + behind);
        hold(leave);
        if (status == Status::kFrozen) return;

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
        book();
        graph.move(op.insert, op.x, op.y, op.K);
        classes.fetch_slot(graph.hash);
        for (const PairChange& c : graph.changes) {
            batches.change(c, edge_times);
            edge_times.change(c, tally.time.expected);
        }
        batches.jumped(graph, edge_times, tally.time.expected);
        score += target.last_difference;
        ++tally.jumps;
        tally.inserts += insert;
        target.update(graph, op.x, op.y);
        classes.fetch_record(graph.hash);
        look();
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
            if (!(log2_mean < 1000)) status = Status::kFrozen;
            // Where nothing can ever happen the unit is kNever, beyond that of any rate however low.
            const double unit = std::clamp(std::floor(log2_mean), -0.1 * kNever, 0.1 * kNever);
            rescale(std::isfinite(log2_mean) ? unit : kNever);
            mean = unit_per_rate_ / leave;
            if (!(mean < 0x1p+400)) mean = 1;
        }
        spend({mean, -mean * fast_log(rng.positive())});
    }
    void spend(const Holding& h) {
        visit_ += h;
        tally.time += h;
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
