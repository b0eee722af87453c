// The time that a chain has spent in each state of each pair, and with each node as an ancestor of each other.
#pragma once
#include "ancestral/mag.hpp"
#include <vector>

namespace czz {

// A step is one unit of time. Only what a jump changes is touched.
class MagTimes {
    const int n_;
    u64 now_ = 0;
    std::vector<u64> states_, ancestors_;  // (x n + y) 4 + state; a n + v
    std::vector<u64> states_since_, ancestors_since_;

    std::size_t at(int a, int b) const { return std::size_t(a * n_ + b); }
    void leave_state(int x, int y, PairState state) {
        states_[4 * at(x, y) + state] += now_ - states_since_[at(x, y)];
        states_since_[at(x, y)] = now_;
    }
    void leave_ancestor(int a, int v, bool was) {
        if (was) ancestors_[at(a, v)] += now_ - ancestors_since_[at(a, v)];
        ancestors_since_[at(a, v)] = now_;
    }

  public:
    explicit MagTimes(int n) : n_(n) { clear(); }
    void clear() {
        const std::size_t size = std::size_t(n_ * n_);
        now_ = 0;
        states_.assign(4 * size, 0), ancestors_.assign(size, 0);
        states_since_.assign(size, 0), ancestors_since_.assign(size, 0);
    }
    void pass() { ++now_; }
    void jump(const Mag& before, const Mag& after, MagSet touched) {
        each_node(touched, [&](int x) {
            each_node(touched & ~up_to(x), [&](int y) {
                if (before.state(x, y) != after.state(x, y)) leave_state(x, y, before.state(x, y));
            });
        });
        for (int v = 0; v < n_; ++v)
            each_node(before.ancestors[Mag::at(v)] ^ after.ancestors[Mag::at(v)],
                      [&](int a) { leave_ancestor(a, v, before.is_ancestor(a, v)); });
    }
    void settle(const Mag& g) {  // up to now
        for (int x = 0; x < n_; ++x)
            for (int y = 0; y < n_; ++y) {
                if (x < y) leave_state(x, y, g.state(x, y));
                leave_ancestor(x, y, g.is_ancestor(x, y));
            }
    }
    u64 total() const { return now_; }
    const std::vector<u64>& states() const { return states_; }
    const std::vector<u64>& ancestors() const { return ancestors_; }
};

}  // namespace czz
