// Steps among orders.
#include "sampler/excursions/order_walk.hpp"
#include "base/math.hpp"
#include <algorithm>

namespace czz {

void OrderWalk::begin(std::vector<int> first, const std::vector<Part>& parts) {
    order = std::move(first);
    parts_ = &parts;
    any_fixed_ = std::any_of(parts.begin(), parts.end(), [](const Part& p) { return !p.fixed.empty(); });
    std::fill(before.begin(), before.end(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        for (std::size_t j = i + 1; j < order.size(); ++j) before[std::size_t(order[j])] |= bit(order[j], order[i]);
}

const std::vector<double>& OrderWalk::place_weights(int first, int last, int at) {
    const int x = order[std::size_t(at)], places = last - first;
    const Part& own = (*parts_)[std::size_t(x)];
    others_.clear();
    for (int i = first; i < last; ++i)
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
            const ParentTable& table = *(*parts_)[std::size_t(u)].table;
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
            if (p < most && contains((*parts_)[std::size_t(u)].fixed, x)) most = p;
        }
        for (int p = 0; p < places; ++p)
            if (p < least || p > most) log_weight_[std::size_t(p)] = kMinusInf;
    }
    return log_weight_;
}

void OrderWalk::step(int first, int last, double power, Rng& rng) {
    const int at = first + rng.below(last - first);
    const int x = order[std::size_t(at)];
    place_weights(first, last, at);
    const double top = *std::max_element(log_weight_.begin(), log_weight_.end());
    double total = 0;
    weight_.resize(log_weight_.size());
    for (std::size_t p = 0; p < log_weight_.size(); ++p)
        total += weight_[p] = fast_exp(power * (log_weight_[p] - top));
    double u = rng.uniform() * total;
    int chosen = at - first;
    for (std::size_t p = 0; p < weight_.size(); ++p) {
        if (!(weight_[p] > 0)) continue;
        chosen = int(p);
        if ((u -= weight_[p]) < 0) break;
    }
    // The others between the old and the new place change sides with x.
    const int old = at - first;
    for (int p = std::min(old, chosen); p < std::max(old, chosen); ++p) {
        const int v = others_[std::size_t(p)];
        before[std::size_t(v)] ^= bit(v, x);
        before[std::size_t(x)] ^= bit(x, v);
    }
    others_.insert(others_.begin() + chosen, x);
    std::copy(others_.begin(), others_.end(), order.begin() + first);
}

}  // namespace czz
