// The classes at the points of a regular grid of times, each as its differences from the one before.
#pragma once
#include "graph/deltas.hpp"

namespace czz {

// Every `stride`-th point of the grid has a draw. The stride, a power of two, doubles whenever there are more than
// kMostDeltas differences (16 MiB), but at least kLeast draws remain.
struct Draws {
    static constexpr std::size_t kMostDeltas = std::size_t(1) << 22, kLeast = 16;

    std::size_t stride = 1;
    std::vector<ClassHash> hash;
    std::vector<u64> begin;    // of the differences of each draw; the first differs from the graph without edges
    std::vector<u32> deltas;   // see deltas.hpp
    std::vector<u32> pending;  // differences from the last draw to the class of the last call

    template <class A>
    void state(A& a) {
        a(stride, hash, begin, deltas, pending);
        a.check(std::has_single_bit(stride) && hash.size() == begin.size());
        for (std::size_t i = 0; i < begin.size(); ++i)
            a.check(begin[i] <= deltas.size() && begin[i] >= (i ? begin[i - 1] : 0) && (i || begin[i] == 0));
    }
    void clear() { *this = {}; }
    std::size_t size() const { return begin.size(); }

    // The grid has a new point, with this number; `append_changes` appends the differences since its last call and
    // returns the hash of the class.
    template <class F>
    void add(std::size_t point, F&& append_changes) {
        if (point % stride) return;
        hash.push_back(append_changes(pending));
        begin.push_back(deltas.size());
        cancel(pending, deltas);
        pending.clear();
        while (deltas.size() > kMostDeltas && size() >= 2 * kLeast) {
            halve();
            stride *= 2;
        }
    }
    // Every second point of the grid was dropped.
    void coarsen() {
        if (stride > 1) {
            stride /= 2;
        } else {
            halve();
        }
    }
    // All points of the grid but the first `points` were dropped.
    void keep_first(std::size_t points) {
        const std::size_t kept = std::min(size(), points);  // 0 or 1
        const std::size_t end = kept < size() ? begin[kept] : deltas.size();
        pending.insert(pending.begin(), deltas.begin() + std::ptrdiff_t(end), deltas.end());
        deltas.resize(end);
        begin.resize(kept);
        hash.resize(kept);
        stride = 1;
    }

  private:
    void halve() {
        std::vector<u64> kept_begin;
        std::vector<u32> kept, walked;
        const std::size_t count = size();
        begin.push_back(deltas.size());
        for (std::size_t i = 0; i < count; ++i) {
            walked.insert(walked.end(), deltas.begin() + std::ptrdiff_t(begin[i]),
                          deltas.begin() + std::ptrdiff_t(begin[i + 1]));
            if (i % 2) continue;
            hash[kept_begin.size()] = hash[i];
            kept_begin.push_back(kept.size());
            cancel(walked, kept);
            walked.clear();
        }
        pending.insert(pending.end(), walked.begin(), walked.end());
        begin = std::move(kept_begin);
        hash.resize(begin.size());
        deltas = std::move(kept);
    }
};

}  // namespace czz
