// Runs of a fixed time of the process, as missing cells need them, and the jumps from which their length is chosen.
//
// A fixed time leaves the target invariant. A fixed number of jumps does not, because its end depends on the path.
#pragma once
#include "sampler/chain.hpp"

namespace czz {

class Intervals {
    double length_ = 0, left_ = 0;  // in the unit of time: of an interval; until the end of the present one

  public:
    // Sets the length to 2^log2_length, and clears the accumulators.
    template <class C>
    void set(C& chain, double log2_length) {
        if (chain.status == Status::kFrozen) chain.status = Status::kRunning;
        chain.forget();
        chain.rescale(std::floor(log2_length));
        length_ = std::exp2(log2_length - chain.next.unit);
        left_ = length_;
    }
    // Runs to the end of the interval and begins the next one; returns false if `end` came first or the chain cannot
    // continue.
    template <class C>
    bool finish(C& chain, Clock::time_point end) {
        bool finished = false;
        chain.guarded([&] {
            for (u64 events = 1; chain.can_continue(); ++events) {
                if (events % 32 == 0 && Clock::now() > end) break;
                const double total = chain.next.total(chain.direction);
                if ((finished = !hold(chain, chain.next.mean(total)))) break;
                chain.apply_event(total);
            }
        });
        if (finished) left_ = length_;
        return finished;
    }

    template <class A>
    void state(A& a) {
        a(length_, left_);
        a.check(left_ >= 0 && left_ <= length_ && std::isfinite(length_));
    }

  private:
    // Adds the time until the next event, cut off at the end of the interval; returns false if that comes first.
    // Holding times are memoryless, so the next interval draws a new one. The minimum of a holding time with mean m and
    // the remaining time r has the expectation m (1 - exp(-r / m)).
    template <class C>
    bool hold(C& chain, double mean) {
        const double drawn = NextEvent::draw(mean, chain.rng);
        const double x = left_ / mean;
        const double expected = x < 1e-3 ? left_ * (1 - x / 2 * (1 - x / 3 * (1 - x / 4))) : mean * (1 - fast_exp(-x));
        if (!(drawn < left_)) {
            chain.add_time({expected, left_});
            return false;
        }
        left_ -= drawn;
        chain.add_time({expected, drawn});
        return true;
    }
};

// Makes `jumps` jumps without adding time, or fewer if the chain is frozen. Returns the binary logarithm of their
// expected time.
template <class C>
double explore(C& chain, u64 jumps) {
    double log2_time = kMinusInf;
    const u64 before = chain.tally.jumps;
    chain.guarded([&] {
        while (chain.can_continue() && chain.tally.jumps - before < jumps) {
            const double total = chain.next.total(chain.direction), log2_mean = chain.next.log2_mean(total);
            if (!(log2_mean < kLongest)) break;
            const double high = std::max(log2_time, log2_mean), low = std::min(log2_time, log2_mean);
            log2_time = high + std::log2(1 + std::exp2(low - high));
            chain.apply_event(total);
        }
    });
    return log2_time;
}

}  // namespace czz
