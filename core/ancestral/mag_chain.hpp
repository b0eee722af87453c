// A reversible chain of MAGs in discrete time, with the stationary distribution exp(coldness · score - cost · edges).
//
// Momentum gains nothing here: a jump is accepted with a probability that needs the score of one graph only, while
// rates would need those of all neighbours, and the directions of a thinned sampler turn after few jumps.
#pragma once
#include "ancestral/district_score.hpp"
#include "ancestral/mag_knowledge.hpp"
#include "ancestral/mag_moves.hpp"
#include "ancestral/mag_times.hpp"
#include "base/rng.hpp"
#include <chrono>
#include <memory>

namespace czz {

struct MagTarget {
    std::shared_ptr<DistrictScore> score;
    MagKnowledge knowledge;
    double edge_cost = 0, coldness = 1;

    // log of the ratio of the weights of two graphs that differ by a move. Districts that it touches stay together.
    double log_ratio(const Mag& before, const Mag& after, const MagMove& move) const {
        MagSet nodes = 0;
        each_node(move.touched, [&](int v) { nodes |= nodes >> v & 1 ? 0 : before.district(v); });
        return coldness * (score->part(after, nodes) - score->part(before, nodes)) - edge_cost * move.more;
    }
};

class MagChain {
    struct Draws {
        Rng rng;
        bool chance(double p) { return rng.uniform() < p; }
        int below(int k) { return rng.below(k); }
    };
    MagTarget target_;
    Mag g_;
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
        Mag h = g_;
        const MagMove move = MagProposal<Draws>(h, random_).propose();
        if (!move.valid || !target.knowledge.allows(h)) return;
        const double ratio = move.log_ratio + target.log_ratio(g_, h, move);
        if (ratio < 0 && !random_.chance(fast_exp(ratio))) return;
        times_.jump(g_, h, move.touched);
        g_ = h;
        ++jumps_;
    }

  public:
    MagChain(MagTarget target, const Mag& start, const Rng& rng)
        : target_(std::move(target)), g_(start), random_{rng}, times_(start.n) {}

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
