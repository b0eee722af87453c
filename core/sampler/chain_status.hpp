// Whether a chain can continue, and what it has done so far.
#pragma once
#include "sampler/accumulate/class_table.hpp"
#include <algorithm>
#include <chrono>

namespace czz {

enum class Status {
    kRunning,
    kFrozen,    // the expected holding time is above 2^kLongest, so the chain stays where it is
    kTooDense,  // see TooDense; the chain cannot continue
    kBroken,    // the score failed during a jump; the chain cannot continue
};

constexpr double kLongest = 1000;  // binary logarithm of the longest expected holding time
constexpr int kTrials = 8;         // random operators that are tested on arrival at a class; see restriction.hpp
constexpr double kNever = 1e15;    // binary logarithm of the unit of time where no event has a positive rate
using Clock = std::chrono::steady_clock;

// The time in a number of seconds, which may be infinite.
inline Clock::time_point time_in(double seconds) {
    const double longest = 3600.0 * 24 * 365 * 100;
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, longest)));
}

struct Tally {
    u64 jumps = 0, inserts = 0, flips = 0;
    Holding time;     // total, in units of 2^unit
    double unit = 0;  // binary exponent of the unit of time

    template <class A>
    void state(A& a) {
        a(jumps, inserts, flips, time, unit);
    }
    friend bool operator==(const Tally&, const Tally&) = default;
};

struct Rates {
    double insert = 0, remove = 0;  // Λ₊, Λ₋ in units of exp(log_unit)
    double log_unit = 0;

    template <class A>
    void state(A& a) {
        a(insert, remove, log_unit);
    }
};

}  // namespace czz
