// Whether a chain can continue, and what it has done so far.
#pragma once
#include "target/process_settings.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>

namespace czz {

enum class Status {
    kRunning,
    kFrozen,    // the expected holding time is above 2^kLongest, so the chain stays where it is
    kTooDense,  // see TooDense; the chain cannot continue
    kBroken,    // the score failed during a jump; the chain cannot continue
};

using Clock = std::chrono::steady_clock;

// The time in a number of seconds, which may be infinite.
inline Clock::time_point time_in(double seconds) {
    const double longest = 3600.0 * 24 * 365 * 100;
    return Clock::now() +
           std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::min(seconds, longest)));
}

struct Holding {  // time: its expectation given the path (Rao-Blackwell), and as drawn
    double expected = 0, drawn = 0;
    Holding& operator+=(const Holding& o) {
        expected += o.expected;
        drawn += o.drawn;
        return *this;
    }
    void scale(int power) {
        expected = std::ldexp(expected, power);
        drawn = std::ldexp(drawn, power);
    }
    bool valid() const { return expected >= 0 && drawn >= 0 && std::isfinite(expected) && std::isfinite(drawn); }
    template <class A>
    void state(A& a) {
        a(expected, drawn);
    }
    friend bool operator==(const Holding&, const Holding&) = default;
};

struct Tally {
    u64 jumps = 0, inserts = 0, flips = 0;
    Holding time;        // total
    BalanceParts parts;  // of the jumps, with balance auto

    template <class A>
    void state(A& a) {
        a(jumps, inserts, flips, time, parts);
    }
    friend bool operator==(const Tally&, const Tally&) = default;
};

}  // namespace czz
