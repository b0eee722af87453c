// Score differences of one node and one set of parents, without the inserts that no step can take; shared by rows.
#pragma once
#include "base/math.hpp"
#include "scores/score.hpp"
#include "target/edge_prior.hpp"
#include <algorithm>
#include <unordered_map>

namespace czz {

struct Gain {
    double value = kMinusInf;
    int x = -1;
};

// What toggling x -> y changes if y has the parents S.
struct Differences {
    std::vector<int> parents;     // S
    std::vector<double> removal;  // of each of them
    std::vector<Gain> inserts;    // those above the floor, the largest first; among equal ones the smallest x first

    double without(int x) const {  // x is in S
        return removal[std::size_t(std::ranges::lower_bound(parents, x) - parents.begin())];
    }
};

// Greedy search returns to the same parents again and again, above all in retries, and few inserts gain. So rows are
// kept by (y, S), and of the n differences only those that can be a step: their number grows with the edges, not with
// n². Rows that no block refers to are dropped when there are too many.
template <int W>
class DifferenceCache {
    using B = Bits<W>;
    struct Key {
        int y;
        B S;
        friend bool operator==(const Key&, const Key&) = default;
    };
    struct Hash {
        std::size_t operator()(const Key& k) const { return std::size_t(k.S.hash(u64(k.y) * 0x9E3779B97F4A7C15ull)); }
    };
    static constexpr std::size_t kMostNumbers = 1 << 24;

    std::unique_ptr<RowKernel> kernel_;
    int n_;
    double floor_;
    std::vector<double> space_;
    std::unordered_map<Key, std::shared_ptr<const Differences>, Hash> kept_;
    std::size_t numbers_ = 0, most_numbers_ = kMostNumbers;

    static double largest_step(const EdgePrior& prior) {
        if (prior.table.empty()) return prior.slope;
        double largest = kMinusInf;
        for (int m = 0; m < int(prior.table.size()); ++m) {
            const double step = prior.step(m, 1);
            if (step > largest) largest = step;  // not if both weights are 0
        }
        return largest;
    }
    void trim() {
        numbers_ = 0;
        std::erase_if(kept_, [&](const auto& entry) {
            if (entry.second.use_count() == 1) return true;
            numbers_ += size(*entry.second);
            return false;
        });
        most_numbers_ = std::max(kMostNumbers, 2 * numbers_);
    }
    static std::size_t size(const Differences& d) { return 16 + 2 * d.parents.size() + 2 * d.inserts.size(); }

  public:
    // `least`: smaller gains, prior included, are no steps.
    DifferenceCache(const Score& score, const EdgePrior& prior, double least)
        : kernel_(score.kernel()), n_(score.n()), floor_(least - largest_step(prior)),
          space_(std::size_t(score.n() + 7) / 8 * 8) {}

    std::shared_ptr<const Differences> of(int y, const B& S) {
        auto& kept = kept_[Key{y, S}];
        if (kept) return kept;
        auto d = std::make_shared<Differences>();
        d->parents = S.list();
        all(y, d->parents);
        for (int x : d->parents) d->removal.push_back(space_[std::size_t(x)]);
        for (int x = 0; x < n_; ++x)
            if (space_[std::size_t(x)] > floor_ && x != y && !S.test(x))
                d->inserts.push_back({space_[std::size_t(x)], x});
        std::ranges::sort(d->inserts,
                          [](Gain a, Gain b) { return a.value != b.value ? a.value > b.value : a.x < b.x; });
        kept = d;
        numbers_ += size(*d);
        if (numbers_ > most_numbers_) trim();
        return d;
    }
    // All n differences, until the next call.
    const std::vector<double>& all(int y, const std::vector<int>& parents) {
        kernel_->row(y, parents, space_.data());
        return space_;
    }
};

}  // namespace czz
