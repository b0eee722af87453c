// A reversible chain of MAGs in discrete time, with the stationary distribution exp(coldness · score - cost · edges).
//
// Momentum gains nothing here: a jump is accepted with a probability that needs the score of one graph only, while
// rates would need those of all neighbours, and the directions of a thinned sampler turn after few jumps.
#pragma once
#include "ancestral/mag_knowledge.hpp"
#include "ancestral/mag_moves.hpp"
#include "ancestral/mag_score.hpp"
#include "ancestral/mag_times.hpp"
#include "base/rng.hpp"
#include <chrono>
#include <memory>

namespace czz {

// A guess at the score that is cheaper decides first, and most changes are refused without the score itself: accepting
// with the probability min(1, guessed ratio) · min(1, ratio / guessed ratio) has the same stationary distribution
// (Christen & Fox 2005). Some steps make no use of it, so that the chain does not depend on its quality.
struct MagTarget {
    std::shared_ptr<MagScore> score;
    MagKnowledge knowledge;
    double edge_cost = 0;
    std::shared_ptr<MagScore> guess;  // may be none
    double coldness = 1;

    static constexpr double kUnguessed = 0.1;

    // log of the ratio of the weights of two graphs that differ by a move.
    double log_ratio(MagScore& by, const Mag& before, const Mag& after, const MagMove& move) const {
        const MagSet nodes = concerned(before, after, move);
        return coldness * (by.part(after, nodes) - by.part(before, nodes)) - edge_cost * move.more;
    }
    // Whether the chain jumps to a graph that the knowledge allows.
    template <class Random>
    bool accepts(const Mag& before, const Mag& after, const MagMove& move, Random& random) const {
        const auto agreed = [&](double log) { return !(log < 0) || random.chance(fast_exp(log)); };
        double guessed = 0;
        if (guess && !random.chance(kUnguessed)) {
            guessed = move.log_ratio + log_ratio(*guess, before, after, move);
            if (!agreed(guessed)) return false;
        }
        return agreed(move.log_ratio + log_ratio(*score, before, after, move) - guessed);
    }

  private:
    // The nodes of the districts that the move touches, which stay together, and of those with other ancestors, as a
    // ConnectingScore depends on these.
    static MagSet concerned(const Mag& before, const Mag& after, const MagMove& move) {
        MagSet touched = move.touched, nodes = 0;
        for (int v = 0; v < before.n; ++v)
            if (before.ancestors[Mag::at(v)] != after.ancestors[Mag::at(v)]) touched |= only(v);
        each_node(touched, [&](int v) { nodes |= nodes >> v & 1 ? 0 : before.district(v); });
        return nodes;
    }
};

// Parallel tempering: chains of the guess at lower coldnesses, which need no fits, exchange graphs with the chain.
constexpr double kHotLevels[] = {0.6, 0.33};
constexpr u64 kBetweenExchanges = 5;

class MagChain {
    struct Draws {
        Rng rng;
        bool chance(double p) { return rng.uniform() < p; }
        int below(int k) { return rng.below(k); }
    };
    struct Level {
        MagTarget target;
        Mag g;
    };
    MagTarget target_;
    Mag g_;
    std::vector<Level> hot_levels_;  // from cold to hot
    Draws random_;
    MagTimes times_;
    u64 steps_ = 0, jumps_ = 0, thinning_ = 0;
    u64 cooling_ = 0, cooled_ = 0;  // steps of the annealing, and those made
    double hot_ = 1;
    std::vector<std::uint8_t> kept_;

    // Geometric from `hot_` to the target's, which holds during the last fifth.
    double coldness() const {
        const double share = double(cooled_) / double(cooling_);
        return fast_exp(fast_log(hot_) * (1 - std::min(1.0, 1.25 * share)));
    }
    void step(const MagTarget& target) {
        times_.pass();
        ++steps_;
        const Mag before = g_;
        if (const MagSet touched = move(target, g_)) {
            times_.jump(before, g_, touched);
            ++jumps_;
        }
        if (hot_levels_.empty()) return;
        Level& level = hot_levels_[steps_ % hot_levels_.size()];
        move(level.target, level.g);
    }
    // Proposes a change. Returns the nodes that it touches, none if it was not accepted.
    MagSet move(const MagTarget& target, Mag& g) {
        Mag h = g;
        const MagMove move = MagProposal<Draws>(h, random_).propose();
        if (!move.valid || !target.knowledge.allows(h) || !target.accepts(g, h, move, random_)) return 0;
        g = h;
        return move.touched;
    }
    void exchange_graphs() {
        const std::size_t i = std::size_t(random_.below(int(hot_levels_.size())));
        MagTarget& colder = i ? hot_levels_[i - 1].target : target_;
        Mag &g = i ? hot_levels_[i - 1].g : g_, &h = hot_levels_[i].g;
        const auto gain = [&](MagTarget& of) { return of.coldness * (of.score->total(h) - of.score->total(g)); };
        const double ratio = gain(colder) - gain(hot_levels_[i].target);
        if (ratio < 0 && !random_.chance(fast_exp(ratio))) return;
        if (!i) times_.jump(g, h, g.all());
        std::swap(g, h);
    }

  public:
    MagChain(MagTarget target, const Mag& start, const Rng& rng)
        : target_(std::move(target)), g_(start), random_{rng}, times_(start.n) {
        if (target_.guess)
            for (const double coldness : kHotLevels)
                hot_levels_.push_back({{target_.guess, target_.knowledge, target_.edge_cost, nullptr, coldness}, g_});
    }

    // The next `steps` steps are made at coldnesses from `coldness` up to that of the target, and do not count.
    void anneal(u64 steps, double coldness) { cooling_ = steps, cooled_ = 0, hot_ = coldness; }

    // Makes up to this number of steps, fewer if the seconds are over. Returns the number made.
    u64 run(u64 steps, double seconds) {
        constexpr u64 kGlance = 64;  // steps between looks at the clock
        using Clock = std::chrono::steady_clock;
        const auto end = Clock::now() + std::chrono::duration<double>(seconds);
        MagTarget hot = target_;
        for (u64 made = 0; made < steps; ++made) {
            if (made % kGlance == kGlance - 1 && Clock::now() > end) return made;
            if (cooled_ < cooling_) {
                hot.coldness = target_.coldness * coldness();
                step(hot);
                if (++cooled_ == cooling_) forget();
                continue;
            }
            step(target_);
            if (!hot_levels_.empty() && steps_ % kBetweenExchanges == 0) exchange_graphs();
            if (thinning_ && times_.total() % thinning_ == 0) keep();
        }
        return steps;
    }
    bool annealing() const { return cooled_ < cooling_; }
    void forget() {  // what was counted so far
        times_.clear();
        kept_.clear();
    }
    void thin(u64 every) { thinning_ = every; }  // keep the graph of every so many steps
    void keep() {
        kept_.resize(kept_.size() + std::size_t(pair_count(g_.n)));
        write_states(g_, kept_.data() + kept_.size() - pair_count(g_.n));
    }

    const Mag& graph() const { return g_; }
    double score() const { return target_.score->total(g_); }
    u64 steps() const { return steps_; }
    u64 jumps() const { return jumps_; }
    u64 fits() const { return target_.score->fits(); }
    const std::vector<std::uint8_t>& kept() const { return kept_; }
    const MagTimes& settled_times() {
        times_.settle(g_);
        return times_;
    }
};

}  // namespace czz
