// Steps among orders.
#include "sampler/excursions/order_walk.hpp"
#include "base/math.hpp"
#include <algorithm>

namespace czz {

void OrderWalk::begin(std::vector<int> start, int first, int last) {
    order = std::move(start);
    first_ = first;
    last_ = last;
    any_fixed_ = false;
    for (std::size_t i = 0; i < order.size(); ++i) place_[std::size_t(order[i])] = int(i);
    for (int i = first; i < last; ++i) {
        const int v = order[std::size_t(i)];
        const Part& part = parts[std::size_t(v)];
        const std::vector<int>& candidates = tables_->candidates[std::size_t(v)];
        any_fixed_ |= !part.fixed.empty();
        u32& mask = before[std::size_t(v)] = 0;
        for (int c = 0; c < part.table->size(); ++c)
            mask |= u32(place_[std::size_t(candidates[std::size_t(c)])] < i) << c;
    }
}

const std::vector<double>& OrderWalk::place_weights(int at) {
    const int x = order[std::size_t(at)], places = last_ - first_;
    const Part& own = parts[std::size_t(x)];
    others_.clear();
    for (int i = first_; i < last_; ++i)
        if (i != at) others_.push_back(order[std::size_t(i)]);
    u32 mask = before[std::size_t(x)];
    for (int u : others_) mask &= ~bit(x, u);
    log_weight_.resize(std::size_t(places));
    // Before all others; then pass them one by one: the p-th comes before x, and no longer has x before it.
    double own_weight = own.table->log_sum(mask), sum = 0;
    log_weight_[0] = 0;
    for (int p = 1; p < places; ++p) {
        const int u = others_[std::size_t(p - 1)];
        if (const u32 b = bit(u, x)) {
            const ParentTable& table = *parts[std::size_t(u)].table;
            const u32 without = before[std::size_t(u)] & ~b;
            sum += table.log_sum(without) - table.log_sum(without | b);
        }
        if (const u32 b = bit(x, u)) {
            mask |= b;
            const double now = own.table->log_sum(mask);
            sum += now - own_weight;
            own_weight = now;
        }
        log_weight_[std::size_t(p)] = sum;
    }
    if (any_fixed_) {
        auto contains = [](const std::vector<int>& list, int v) {
            return std::find(list.begin(), list.end(), v) != list.end();
        };
        int least = 0, most = places - 1;
        for (int p = 0; p + 1 < places; ++p) {
            const int u = others_[std::size_t(p)];
            if (contains(own.fixed, u)) least = p + 1;
            if (p < most && contains(parts[std::size_t(u)].fixed, x)) most = p;
        }
        for (int p = 0; p < places; ++p)
            if (p < least || p > most) log_weight_[std::size_t(p)] = kMinusInf;
    }
    return log_weight_;
}

void OrderWalk::step(double power, Rng& rng) {
    const int at = first_ + rng.below(last_ - first_);
    const int x = order[std::size_t(at)];
    place_weights(at);
    const double top = *std::max_element(log_weight_.begin(), log_weight_.end());
    double total = 0;
    weight_.resize(log_weight_.size());
    for (std::size_t p = 0; p < log_weight_.size(); ++p) total += weight_[p] = fast_exp(power * (log_weight_[p] - top));
    double u = rng.uniform() * total;
    int chosen = at - first_;
    for (std::size_t p = 0; p < weight_.size(); ++p) {
        if (!(weight_[p] > 0)) continue;
        chosen = int(p);
        if ((u -= weight_[p]) < 0) break;
    }
    // The others between the old and the new place change sides with x.
    const int old = at - first_;
    for (int p = std::min(old, chosen); p < std::max(old, chosen); ++p) {
        const int v = others_[std::size_t(p)];
        before[std::size_t(v)] ^= bit(v, x);
        before[std::size_t(x)] ^= bit(x, v);
    }
    others_.insert(others_.begin() + chosen, x);
    std::copy(others_.begin(), others_.end(), order.begin() + first_);
}

}  // namespace czz
