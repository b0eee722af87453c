// The time that every pair of nodes spent with each mark; updated for a pair only when it changes. Of a large graph
// most pairs never change, and take no more than an index.
#pragma once
#include "base/archive.hpp"
#include "graph/cpdag.hpp"
#include <cmath>
#include <tuple>

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

// Arrows i -> j, or lines i < j, as i · n + j in ascending order, with the times of those that were there.
struct ListedTimes {
    std::vector<std::int64_t> at;
    std::vector<double> time;

    void sort() {
        std::vector<std::pair<std::int64_t, double>> both(at.size());
        for (std::size_t i = 0; i < at.size(); ++i) both[i] = {at[i], time[i]};
        std::sort(both.begin(), both.end());
        for (std::size_t i = 0; i < at.size(); ++i) std::tie(at[i], time[i]) = both[i];
    }
};

class EdgeTimes {
    struct Entry {
        u64 pair;
        PairTimes times;

        template <class A>
        void state(A& a) {
            a(pair, times);
        }
    };
    std::vector<u32> entry_;      // of each pair, from 1; 0: it has never changed
    std::vector<Entry> entries_;  // by first change

  public:
    explicit EdgeTimes(int n) : entry_(std::size_t(n) * std::size_t(n > 0 ? n - 1 : 0) / 2) {}

    template <class A>
    void state(A& a) {
        a.same(entry_.size());
        a(entries_);
        if constexpr (A::kLoads) {
            for (std::size_t i = 0; i < entries_.size(); ++i) {
                const auto& [pair, times] = entries_[i];
                a.check(pair < entry_.size() && entry_[pair] == 0);
                a.check(std::isfinite(times.since + times.held[0] + times.held[1] + times.held[2]));
                entry_[pair] = u32(i + 1);
            }
        }
    }
    void clear() {
        for (const Entry& e : entries_) entry_[e.pair] = 0;
        entries_.clear();
    }
    PairTimes& operator[](const PairChange& c) {
        const u64 pair = pair_index(c.a, c.b);
        if (entry_[pair] == 0) {
            entries_.push_back({pair, {}});
            entry_[pair] = u32(entries_.size());
        }
        return entries_[entry_[pair] - 1].times;
    }
    double held(int a, int b, Mark mark, Mark present, double now) const {
        const u32 entry = entry_[pair_index(a, b)];
        return (entry ? entries_[entry - 1].times : PairTimes{}).until(mark, present, now);
    }
    void rescale(int power) {
        for (Entry& e : entries_) {
            e.times.since = std::ldexp(e.times.since, power);
            for (double& h : e.times.held) h = std::ldexp(h, power);
        }
    }
};

}  // namespace czz
