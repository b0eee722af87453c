// The time that every pair of nodes spent with each mark; updated for a pair only when it changes.
#pragma once
#include "base/archive.hpp"
#include "graph/cpdag.hpp"
#include <cmath>

namespace czz {

struct PairTimes {
    double since = 0;     // the time of its last change
    double held[3] = {};  // with the mark forward, backward, line, up to then

    template <class A>
    void state(A& a) {
        a(since, held);
    }
    // Time with the mark up to now, given the present mark.
    double until(Mark mark, Mark present, double now) const {
        return held[mark - 1] + (mark == present ? now - since : 0);
    }
    void leave(Mark before, double now) {
        if (before != kNone) held[before - 1] += now - since;
        since = now;
    }
};

class EdgeTimes {
    std::vector<PairTimes> pairs_;

  public:
    explicit EdgeTimes(int n) : pairs_(std::size_t(n) * std::size_t(n > 0 ? n - 1 : 0) / 2) {}

    template <class A>
    void state(A& a) {
        a.same(pairs_.size());
        for (PairTimes& p : pairs_) {
            p.state(a);
            a.check(std::isfinite(p.since + p.held[0] + p.held[1] + p.held[2]));
        }
    }
    void clear() { std::fill(pairs_.begin(), pairs_.end(), PairTimes{}); }
    PairTimes& operator[](const PairChange& c) { return pairs_[pair_index(c.a, c.b)]; }
    double held(int a, int b, Mark mark, Mark present, double now) const {
        return pairs_[pair_index(a, b)].until(mark, present, now);
    }
    void rescale(int power) {
        for (PairTimes& p : pairs_) {
            p.since = std::ldexp(p.since, power);
            for (double& h : p.held) h = std::ldexp(h, power);
        }
    }
};

}  // namespace czz
