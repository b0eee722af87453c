// Non-negative weights of n nodes, with their total and a choice in proportion. Sums do not depend on the history: they
// are computed from the weights in a fixed order, in blocks of 16, for the blocks in which a weight changed.
#pragma once
#include "base/bits.hpp"
#include <cmath>
#include <stdexcept>

namespace czz {

class Weights {
    static constexpr int kBlock = 16;
    std::vector<double> weight_, block_;
    std::vector<u64> stale_;  // blocks to sum again
    bool fresh_ = true;
    double total_ = 0;

    static double sum16(const double* v) {
        double s[4] = {};
        for (int i = 0; i < kBlock; i += 4)
            for (int j = 0; j < 4; ++j) s[j] += v[i + j];
        return (s[0] + s[1]) + (s[2] + s[3]);
    }

  public:
    explicit Weights(int n)
        : weight_(std::size_t(n + kBlock - 1) / kBlock * kBlock), block_(weight_.size() / kBlock),
          stale_((block_.size() + 63) / 64) {}

    double operator[](int i) const { return weight_[i]; }
    void set(int i, double w) {
        if (weight_[i] == w) return;
        weight_[i] = w;
        stale_[i / (64 * kBlock)] |= u64(1) << (i / kBlock & 63);
        fresh_ = false;
    }
    void add(int i, double w) { set(i, weight_[i] + w); }

    // The sums follow from the weights.
    template <class A>
    void state(A& a) {
        for (double& w : weight_) a(w);
        if constexpr (A::kLoads) {
            for (std::size_t b = 0; b < block_.size(); ++b) stale_[b / 64] |= u64(1) << (b & 63);
            fresh_ = false;
            total();
        }
    }
    // Whether loaded weights are numbers of at least 0, and 0 beyond the n nodes.
    bool valid(int n) const {
        for (std::size_t i = 0; i < weight_.size(); ++i)
            if (!(weight_[i] >= 0 && weight_[i] < 0x1p+1020) || (i >= std::size_t(n) && weight_[i] != 0)) return false;
        return true;
    }
    double total() {
        if (fresh_) return total_;
        for (std::size_t k = 0; k < stale_.size(); ++k) {
            // With few blocks, summing all of them is faster than selecting some.
            const u64 which = block_.size() <= 4 ? (u64(1) << block_.size()) - 1 : stale_[k];
            for (u64 m = which; m; m &= m - 1) {
                const std::size_t b = 64 * k + std::size_t(std::countr_zero(m));
                block_[b] = sum16(&weight_[kBlock * b]);
            }
            stale_[k] = 0;
        }
        total_ = 0;
        for (double b : block_) total_ += b;
        fresh_ = true;
        return total_;
    }
    // The node at position u in [0, total) of the cumulative weights; u becomes the position within its weight. A node
    // of weight 0 is never chosen, whatever the rounding.
    int pick(double& u) const {
        std::size_t b = 0, last_block = 0;
        for (; b < block_.size(); ++b) {
            if (u < block_[b]) break;
            u -= block_[b];
            if (block_[b] > 0) last_block = b;
        }
        if (b == block_.size()) {
            b = last_block;
            u = block_[b];
        }
        // In groups of four, without branches, which would be mispredicted.
        const double* w = &weight_[kBlock * b];
        double sums[4];
        for (int j = 0; j < 4; ++j) sums[j] = (w[4 * j] + w[4 * j + 1]) + (w[4 * j + 2] + w[4 * j + 3]);
        double v = u;
        const int group = step_down(sums, v);
        const int at = 4 * group + step_down(w + 4 * group, v);
        if (v >= 0 && v < w[at]) {
            u = v;
            return int(kBlock * b) + at;
        }
        int last = -1;
        for (std::size_t i = kBlock * b; i < kBlock * (b + 1); ++i) {
            if (weight_[i] <= 0) continue;
            if (u < weight_[i]) return int(i);
            u -= weight_[i];
            last = int(i);
        }
        if (last < 0) throw std::logic_error("no weight is positive");
        u = std::nextafter(weight_[last], 0.0);
        return last;
    }

  private:
    // Which of four steps the position v is in; v becomes the position within it.
    static int step_down(const double* w, double& v) {
        const double below[4] = {0, w[0], w[0] + w[1], (w[0] + w[1]) + w[2]};
        const int i = (v >= below[1]) + (v >= below[2]) + (v >= below[3]);
        v -= below[i];
        return i;
    }
};

}  // namespace czz
