// The Causal Zig-Zag (Schauer & Wienöbst 2024): a jump process on pairs (class γ, direction d), and what it
// accumulates.
//
//   jump  (γ, d) -> (η, d), η an Insert of γ where d = +1, a Delete where d = −1, with rate g(π(η) / π(γ)),
//   flip  (γ, d) -> (γ, −d)                                               with rate (Λ₋d − Λd)⁺,
//
// where Λ₊ and Λ₋ sum the insert and the delete rates of γ. Insert and Delete are each other's inverses with equal
// multiplicity, and g(t) = t g(1/t), so the flows that a jump adds to and takes from a state differ by Λ₋d − Λd, which
// the flips restore: π ⊗ uniform is stationary. With momentum ρ < 1 all rates above are multiplied by ρ, and Zanella's
// process (every Insert and Delete, d kept) is superposed with weight σ = 1 − ρ. Kernels that leave π invariant
// (sampler/move.hpp) may be applied at the times of a Poisson process, d kept. With knowledge, proposed jumps to
// classes that disagree are refused (sampler/refusals.hpp). So are, in large graphs, unlikely inserts that do not
// exist, because they would close a cycle or join what is joined already: rows contain them, because a jump changes the
// descendants of many nodes, and with them which of the unlikely inserts are valid. Λ₊ is then the sum over the rows. A
// refused proposal reverses the direction, so the flips still differ by Λ₋d − Λd of the valid operators; what is
// unlikely must follow from the class alone, not from the path.
//
// One step: find the total rate of all events, hold for an exponential time with that rate, choose an event in
// proportion to its rate (sampler/next_event.hpp), apply it, and refresh the rates of the rows that it changed.
#pragma once
#include "graph/operators.hpp"
#include "sampler/accumulate/accumulators.hpp"
#include "sampler/chain_moves.hpp"
#include "sampler/chain_settings.hpp"
#include "sampler/chain_status.hpp"
#include "sampler/next_event.hpp"
#include "sampler/refusals.hpp"

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
    NextEvent next;
    Tally tally;
    Accumulators<W> accumulated;
    ChainMoves<W> moves;
    std::unique_ptr<Refusals<W>> refusals;  // null without knowledge
    double score_reference = 0;             // score − the sum of the local scores
    u64 rounded = 0;                        // differences added to the score since it was exact

    Chain(Cpdag<W> start, Target t, const ChainSettings& s, Moves m)
        : graph(std::move(start)), target(std::move(t)), direction(s.direction), score(s.first_score), rng(s.rng),
          next(s.momentum), accumulated(graph.n, s.most_classes, s.most_deltas, s.trace_points), moves({}),
          refusals(s.arrows ? std::make_unique<Refusals<W>>(*s.arrows, graph) : nullptr) {
        set_moves(std::move(m));
    }
    // Before the first event, unless a state is loaded.
    void begin() {
        guarded([&] {
            score_reference = score - target.total(graph);
            target.rebuild(graph);
            refresh_rates();
        });
    }

    bool can_continue() const { return status == Status::kRunning || status == Status::kFrozen; }

    // Runs `jumps` jumps, or fewer if the time is up first; returns the number of jumps made.
    u64 run(u64 jumps, double seconds) {
        const auto end = time_in(seconds);
        const u64 before = tally.jumps;
        guarded([&] {
            for (u64 events = 1; status == Status::kRunning && tally.jumps - before < jumps && !moves.spent();
                 ++events) {
                if (events % 32 == 0 && Clock::now() > end) break;
                step();
            }
        });
        return tally.jumps - before;
    }
    void step() {
        const double total = next.total(direction);
        hold(total);
        if (status == Status::kFrozen) return;
        apply_event(total);
    }
    void apply_event(double total) {
        const auto [kind, share] = next.choose(total, direction, rng);
        if (kind == NextEvent::Kind::kFlip) return flip();  // the rates depend on the class alone
        if (kind == NextEvent::Kind::kMove) return make_move();
        jump(kind == NextEvent::Kind::kInsert, share);
    }

    void jump(bool insert, double share) {
        const auto [op, score_difference, valid] = draw(insert, share);
        if (!valid) return reflect(insert);
        leave();
        if constexpr (requires { target.watched(); }) graph.apply(op, target.watched());
        else graph.apply(op);
        if (refusals && !refusals->follow(graph, op)) return reflect(insert);
        moves.relist(changes());
        if (accumulated.on) {
            accumulated.classes.prefetch_slot(graph.hash);
            add_changes();
            accumulated.batches.jumped(*this, accumulated.edge_times, tally.time.expected);
        }
        add_to_score(score_difference);
        if (target.process().balance == Balance::kAuto) add_to_parts(score_difference, insert ? 1 : -1);
        ++tally.jumps;
        tally.inserts += insert;
        target.update(graph);
        if (accumulated.on) accumulated.classes.prefetch_record(graph.hash);
        refresh_rates();
    }
    void flip() {
        direction = -direction;
        ++tally.flips;
    }
    // Out of line: moves are rare and long.
    [[gnu::noinline]] void make_move() {
        const std::vector<Bits<W>>* watched = nullptr;
        if constexpr (requires { target.watched(); }) watched = target.watched();
        follow(moves.make(graph, restriction(), watched, rng, [&] { leave(); }));
    }

    // Goes to the class to which a move leads; returns whether there is one.
    bool follow(std::optional<typename ChainMoves<W>::Arrival> arrival) {
        if (!arrival) return false;
        if (!arrival->graph) {  // the graph has changed already
            add_to_score(arrival->score_difference);
            if (accumulated.on) add_changes();
            guarded([&] {
                target.update(graph);
                refresh_rates();
            });
            return true;
        }
        leave();
        std::swap(graph, *arrival->graph);
        add_to_score(arrival->score_difference);
        list_changes(*arrival->graph, graph);
        after_replacement();
        return true;
    }
    // After the class was replaced by another one, with the pairs that differ in graph.changes.
    void after_replacement() {
        moves.relist_all();
        if (refusals) restriction()->follow(graph);
        if (accumulated.on) add_changes();
        guarded([&] {
            target.replace(graph);
            refresh_rates();
        });
    }

    void set_moves(Moves m) {
        moves.set(std::move(m));
        next.set_log2_move_rate(moves.log2_rate());
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
        rounded = 0;
        guarded([&] { score_reference = score - target.total(graph); });
    }

    // Clears the accumulators and keeps the state, as at the end of the warm-up.
    void forget() {
        tally = {};
        accumulated.clear(score);
        for (const auto& m : moves.all) m->forget();
        moves.look_whether_spent();
        if (refusals) refusals->refused = 0;
        if (status == Status::kFrozen) add_time({1, 1});  // all time is spent in the present class
    }
    // The time in the present class is added to the accumulators when it is left; this adds the time so far.
    void flush_visit() {
        if (accumulated.visit > 0) leave();
    }
    void leave() {
        if (accumulated.on) accumulated.leave(graph, score);
    }
    void add_time(const Holding& h) {
        tally.time += h;
        if (accumulated.on) accumulated.hold(h, tally.time.drawn, graph, score, direction);
    }
    // Another unit of time.
    void rescale(double unit) {
        const int power = next.has_unit ? int(std::clamp(next.unit - unit, -4000.0, 4000.0)) : 0;
        next.set_unit(unit);
        if (power == 0) return;
        tally.time.scale(power);
        accumulated.rescale(power);
    }

    // Lists the operators, with knowledge and where the target can.
    void list_operators() {
        if constexpr (has_listing)
            if (refusals) next.set_rates(refusals->list(graph, target));
    }
    // The operators that the chain has listed, or null.
    const ListedOperators<W>* listed() const { return refusals ? refusals->listed() : nullptr; }
    Restriction<W>* restriction() const { return refusals ? &refusals->restriction : nullptr; }
    // The mark of a pair a < b, with what knowledge orients.
    Mark mark(int a, int b) const { return refusals ? restriction()->mark(graph, a, b) : graph.mark(a, b); }
    int nodes() const { return graph.n; }

    void find_rates() {  // Λ₊ and Λ₋ of the present class
        if (refusals) refusals->unlist();
        next.set_rates(target.insert_total(), target.insert_log_scale(graph), target.delete_total(),
                       target.delete_log_scale(graph));
    }
    // Calls f, and takes down why the chain cannot continue if it throws.
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

  private:
    static constexpr u64 kExact = 1 << 12;  // differences after which the score is computed from scratch
    static constexpr bool has_listing =
        requires(Target t, const Cpdag<W>& g) { t.each_difference(g, [](const Operator<W>&, double, double) {}); };

    DrawnOperator<W> draw(bool insert, double share) {
        if (const auto* all = listed()) return all->draw(insert, share);
        const double total = insert ? target.insert_total() : target.delete_total();
        return target.draw(graph, insert, share * total, rng);
    }
    // After a refused proposal. The rates, which depend on the class alone, are still right, and the visit to it has
    // been added already, so its g.changes are not used again.
    [[gnu::noinline]] void reflect(bool insert) {
        const double rho = next.momentum();
        if (insert != (direction > 0) || (rho < 1 && rng.uniform() >= rho)) return;
        flip();
    }
    // Differences are rounded. So that the errors do not add up, the score is computed from scratch at fixed numbers of
    // differences: a chain that is saved and continued does so at the same jumps.
    void add_to_score(double difference) {
        score += difference;
        if (++rounded < kExact) return;
        rounded = 0;
        score = score_reference + target.total(graph);
    }
    void add_to_parts(double score_difference, int by) {
        const ProcessSettings& process = target.process();
        process.add_to(tally.parts, process.log_ratio(score_difference, graph.edges - by, by));
    }
    // By the last change of class, of marks with what knowledge orients.
    const std::vector<PairChange>& changes() { return refusals ? restriction()->changes : graph.changes; }
    void add_changes() {
        accumulated.change(changes(), tally.time.expected);
        if (!refusals) return;
        for (const PairChange& c : graph.changes) accumulated.drawn.touched.set(c.b);
    }
    void refresh_rates() {  // on arrival
        find_rates();
        if (!refusals || !has_listing) return;
        auto drawn = [&](bool insert, double share) { return draw(insert, share); };
        if (refusals->refuses_all_trials(graph, next.rates(), rng, drawn)) list_operators();
    }

    // Adds the time until the next event: its expectation, and an exponential draw.
    void hold(double total) {
        double mean = next.mean(total);
        if (!next.has_unit || !(mean < 0x1p+400)) {
            const double log2_mean = next.log2_mean(total);
            if (!(log2_mean < kLongest)) status = Status::kFrozen;
            // kNever, where no rate is positive, is larger than the unit of any positive rate.
            const double unit = std::clamp(std::floor(log2_mean), -0.1 * kNever, 0.1 * kNever);
            rescale(std::isfinite(log2_mean) ? unit : kNever);
            mean = next.mean(total);
            if (!(mean < 0x1p+400)) mean = 1;
        }
        add_time({mean, next.draw(mean, rng)});
    }
};

}  // namespace czz
