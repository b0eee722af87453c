// How long every pair of nodes was joined, and how: brought up to date for a pair only when it changes.
#pragma once
#include "cpdag.hpp"
#include "state.hpp"
#include <cmath>

namespace czz {

class EdgeTimes {
    struct Pair {
        double since = 0;  // the time of its last change
        double held[3] = {};

        template <class A>
        void state(A& a) {
            a(since, held);
        }
    };
    std::vector<Pair> pairs_;

  public:
    explicit EdgeTimes(int n) : pairs_(std::size_t(n) * std::size_t(n > 0 ? n - 1 : 0) / 2) {}

    template <class A>
    void state(A& a) {
        a.same(pairs_.size());
        for (Pair& p : pairs_) p.state(a);
    }
    void clear() { std::fill(pairs_.begin(), pairs_.end(), Pair{}); }
    void change(const PairChange& c, double now) {
        Pair& p = pairs_[pair_index(c.a, c.b)];
        if (c.before != kNone) p.held[c.before - 1] += now - p.since;
        p.since = now;
    }
    double since(int a, int b) const { return pairs_[pair_index(a, b)].since; }
    // Time with the mark (forward, backward, line) up to now, given the present mark.
    double held(int a, int b, Mark mark, Mark present, double now) const {
        const Pair& p = pairs_[pair_index(a, b)];
        return p.held[mark - 1] + (mark == present ? now - p.since : 0);
    }
    void rescale(int power) {
        for (Pair& p : pairs_) {
            p.since = std::ldexp(p.since, power);
            for (double& h : p.held) h = std::ldexp(h, power);
        }
    }
};

}  // namespace czz
