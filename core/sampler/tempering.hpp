// Non-reversible parallel tempering (Syed, Bouchard-Côté, Deligiannidis & Doucet 2022): chains of one score at
// increasing coldness, the rungs of a ladder, which exchange their states.
//
// Rung k has the target πk ~ exp(βk · score) · edge prior, and runs for a fixed time of its own between exchanges. As
// its process leaves πk ⊗ uniform (of the direction) invariant, all of them together leave the product invariant. An
// exchange of the pairs (class, direction) of rungs k and k + 1 changes the density of the product by the factor
// exp((βk+1 − βk)(score of k − score of k + 1)): prior and direction have the same distribution on every rung and
// cancel. It is accepted with the minimum of that and 1 (Metropolis), so the product stays invariant, and with it πk on
// each rung. Even and odd pairs alternate (the deterministic even-odd scheme): an exchanged state continues in the same
// direction, and crosses the ladder in a number of exchanges proportional to its length, not to the square of it.
#pragma once
#include "base/math.hpp"
#include "sampler/chain_interface.hpp"
#include <numeric>

namespace czz {

class Ensemble {
  public:
    struct Pair {  // of rungs k and k + 1
        u64 tried = 0;
        double accepted = 0;  // expected number of accepted exchanges

        template <class A>
        void state(A& a) {
            a(tried, accepted);
        }
    };

    // The chains by increasing coldness.
    Ensemble(std::vector<std::shared_ptr<ChainInterface>> chains, std::vector<double> coldness, Rng rng)
        : chains_(std::move(chains)), coldness_(std::move(coldness)), rng_(rng), replica_(chains_.size()),
          been_(chains_.size()), pairs_(chains_.size() - 1) {
        std::iota(replica_.begin(), replica_.end(), u64(0));
    }

    const std::vector<std::shared_ptr<ChainInterface>>& chains() const { return chains_; }
    const std::vector<double>& coldness() const { return coldness_; }
    const std::vector<Pair>& pairs() const { return pairs_; }
    u64 exchanges() const { return exchanges_; }
    u64 round_trips() const { return round_trips_; }

    void set_coldness(const std::vector<double>& coldness) {
        for (std::size_t k = 0; k < chains_.size(); ++k)
            if (coldness[k] != coldness_[k]) chains_[k]->set_coldness(coldness_[k] = coldness[k]);
    }
    // Sets the lengths of the intervals between exchanges, as binary logarithms of time, and clears all accumulators.
    void set_intervals(const std::vector<double>& log2_intervals) {
        for (std::size_t k = 0; k < chains_.size(); ++k) chains_[k]->set_interval(log2_intervals[k]);
        std::fill(pairs_.begin(), pairs_.end(), Pair{});
        exchanges_ = round_trips_ = 0;
        next_ = 0;
    }
    // Makes `exchanges` exchanges, or fewer if the time is up or a chain cannot continue; returns their number. An
    // interval ends early after `most_jumps` jumps of a chain: for a warm-up only, as this does not leave the targets
    // invariant.
    u64 run(u64 exchanges, double seconds, u64 most_jumps) {
        const auto end = time_in(seconds);
        for (u64 made = 0; made < exchanges; ++made) {
            for (; next_ < chains_.size(); ++next_)
                if (!chains_[next_]->finish_interval(most_jumps, end)) return made;
            next_ = 0;
            if (!exchange()) return made;
            if (Clock::now() > end) return made + 1;
        }
        return exchanges;
    }
    // Makes `jumps` jumps on every rung and one exchange; returns the binary logarithms of the times of the jumps.
    std::vector<double> explore(u64 jumps) {
        std::vector<double> log2_times;
        for (const auto& chain : chains_) {
            log2_times.push_back(chain->explore(jumps));
            if (!chain->can_continue()) return {};
        }
        if (!exchange()) return {};
        return log2_times;
    }
    // All but the states of the chains, which are saved separately.
    template <class A>
    void state(A& a) {
        a.same(chains_.size());
        a(rng_, replica_, been_, pairs_, exchanges_, round_trips_, odd_, next_);
        const std::size_t rungs = chains_.size();
        a.check(replica_.size() == rungs && been_.size() == rungs && pairs_.size() == rungs - 1 && next_ < rungs);
        for (u64 r : replica_) a.check(r < rungs);
    }
    // The rung whose chain cannot continue, or -1.
    int stuck_rung() const {
        for (std::size_t k = 0; k < chains_.size(); ++k)
            if (!chains_[k]->can_continue()) return int(k);
        return -1;
    }

  private:
    std::vector<std::shared_ptr<ChainInterface>> chains_;
    std::vector<double> coldness_;
    Rng rng_;
    std::vector<u64> replica_;  // the number of the state on each rung; it moves with the state
    std::vector<char> been_;    // whether a replica has been on the hottest rung since it was last on the coldest
    std::vector<Pair> pairs_;
    u64 exchanges_ = 0, round_trips_ = 0;
    bool odd_ = false;
    u64 next_ = 0;  // the first chain whose interval is not finished

    // Returns false if a chain cannot continue from the state it received.
    bool exchange() {
        for (std::size_t k = odd_; k + 1 < chains_.size(); k += 2) {
            ChainInterface &a = *chains_[k], &b = *chains_[k + 1];
            const double gain = (coldness_[k + 1] - coldness_[k]) * (a.score() - b.score());
            const double chance = fast_exp(std::min(0.0, gain));
            const double u = rng_.uniform();
            ++pairs_[k].tried;
            pairs_[k].accepted += chance;
            if (!(u < chance)) continue;
            a.swap_states(b);
            std::swap(replica_[k], replica_[k + 1]);
            if (!a.can_continue() || !b.can_continue()) return false;
        }
        odd_ = !odd_ && chains_.size() > 2;
        ++exchanges_;
        been_[replica_.front()] = 1;
        char& back = been_[replica_.back()];
        round_trips_ += back != 0;
        back = 0;
        return true;
    }
};

}  // namespace czz
