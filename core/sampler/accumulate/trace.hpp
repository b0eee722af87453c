// The path of a chain on a regular grid of times: number of edges, score, direction, and the class.
#pragma once
#include "sampler/accumulate/draws.hpp"
#include <cmath>

namespace czz {

// The step is a power of two. Whenever the grid is full, it doubles and every second point is dropped, so memory is
// bounded whatever the time scale is.
class Trace {
    std::size_t capacity_;
    double step_ = 0;
    double next_ = 0;  // the number of the next point

    void coarsen() {
        std::size_t kept = 0;
        for (std::size_t i = 0; i < edges.size(); i += 2, ++kept) {
            edges[kept] = edges[i];
            score[kept] = score[i];
            direction[kept] = direction[i];
        }
        edges.resize(kept);
        score.resize(kept);
        direction.resize(kept);
        draws.coarsen();
        step_ *= 2;
        next_ = std::ceil(next_ / 2);
    }

  public:
    std::vector<int> edges;
    std::vector<double> score;
    std::vector<signed char> direction;
    Draws draws;

    explicit Trace(std::size_t capacity) : capacity_(capacity) {}
    double step() const { return step_; }

    void clear() {
        edges.clear();
        score.clear();
        direction.clear();
        draws.clear();
        step_ = next_ = 0;
    }
    template <class A>
    void state(A& a) {
        a.same(capacity_);
        a(step_, next_, edges, score, direction, draws);
        const std::size_t points = edges.size();
        a.check(points == score.size() && points == direction.size() && points <= capacity_);
        a.check(next_ == double(points) && step_ >= 0 && std::isfinite(step_) && (step_ > 0 || points == 0));
        a.check(draws.size() == (points + draws.stride - 1) / draws.stride);
    }
    // The state has been this one until the time `now`; `append_changes` appends the differences of the class from that
    // of its last call.
    template <class F>
    void hold(double now, int edges_now, double score_now, int direction_now, F&& append_changes) {
        if (next_ * step_ >= now && step_ > 0) return;
        if (capacity_ == 0 || !(now > 0)) return;
        if (step_ == 0) step_ = std::ldexp(1.0, std::ilogb(now) - 6);
        while (double(edges.size()) + (now / step_ - next_) > double(capacity_)) coarsen();
        for (; next_ * step_ < now; ++next_) {
            draws.add(edges.size(), append_changes);
            edges.push_back(edges_now);
            score.push_back(score_now);
            direction.push_back((signed char)direction_now);
        }
    }
    void rescale(int power) {
        const double step = std::ldexp(step_, power);
        if (step_ == 0 || step >= 0x1p-900) {
            step_ = step;
            return;
        }
        step_ = 0x1p-900;  // the path so far is short relative to the new unit: its first point represents it
        next_ = std::min(next_, 1.0);
        draws.keep_first(std::size_t(next_));
        edges.resize(std::size_t(next_));
        score.resize(std::size_t(next_));
        direction.resize(std::size_t(next_));
    }
};

}  // namespace czz
