// Scores s(y, P) = F(P ∪ y) − F(P) of a set function F with F(∅) = 0. They are score-equivalent for every F: reversing
// a covered edge x → y with common parents P replaces F(P ∪ x) − F(P) + F(P ∪ x ∪ y) − F(P ∪ x) by the same with x and
// y exchanged. Values of F are computed once and shared by all chains.
#pragma once
#include "base/index_table.hpp"
#include "scores/score.hpp"
#include <mutex>
#include <shared_mutex>

namespace czz {

using NodeSet = std::vector<int>;  // in increasing order

inline NodeSet with(const NodeSet& S, int x) {
    NodeSet more(S.size() + 1);
    const auto at = std::upper_bound(S.begin(), S.end(), x);
    *std::copy(S.begin(), at, more.begin()) = x;
    std::copy(at, S.end(), more.begin() + (at - S.begin()) + 1);
    return more;
}
inline NodeSet without(NodeSet S, int x) {
    S.erase(std::find(S.begin(), S.end(), x));
    return S;
}

// `width` numbers for each of many sets. Threads may use it at once. If it takes more than `most_bytes`, it is emptied:
// numbers are then computed again, to the same bits.
class SetCache {
    std::size_t words_, width_, most_;
    std::vector<u64> keys_;
    std::vector<double> numbers_;
    IndexTable index_{1 << 10};
    mutable std::shared_mutex mutex_;

    struct Key {
        std::vector<u64> words;
        u64 hash = 0x9E3779B97F4A7C15ull;
        Key(const NodeSet& S, std::size_t size) : words(size) {
            for (int v : S) words[std::size_t(v) / 64] |= u64(1) << v % 64;
            for (u64 word : words) {
                hash = (hash ^ word) * 0xBF58476D1CE4E5B9ull;
                hash ^= hash >> 29;
            }
        }
    };
    u64 hash_of(std::size_t i) const {
        u64 hash = 0x9E3779B97F4A7C15ull;
        for (std::size_t k = 0; k < words_; ++k) {
            hash = (hash ^ keys_[i * words_ + k]) * 0xBF58476D1CE4E5B9ull;
            hash ^= hash >> 29;
        }
        return hash;
    }
    u32 at(const Key& key) const {
        return index_.find(key.hash,
                           [&](u32 i) { return std::equal(key.words.begin(), key.words.end(), &keys_[i * words_]); });
    }

  public:
    SetCache(int n, std::size_t width, std::size_t most_bytes)
        : words_(std::size_t(n + 63) / 64), width_(width), most_(most_bytes / (8 * (words_ + width))) {}

    bool find(const NodeSet& S, double* out) const {
        const Key key(S, words_);
        std::shared_lock lock(mutex_);
        const u32 i = at(key);
        if (i == IndexTable::kNone) return false;
        std::copy_n(&numbers_[i * width_], width_, out);
        return true;
    }
    void insert(const NodeSet& S, const double* numbers) {
        const Key key(S, words_);
        std::unique_lock lock(mutex_);
        if (at(key) != IndexTable::kNone) return;  // another thread was faster
        std::size_t size = numbers_.size() / width_;
        if (size >= most_) {
            keys_.clear();
            numbers_.clear();
            index_.clear(1 << 10);
            size = 0;
        }
        keys_.insert(keys_.end(), key.words.begin(), key.words.end());
        numbers_.insert(numbers_.end(), numbers, numbers + width_);
        if (index_.crowded(size + 1)) {
            index_.clear(2 * index_.slots());
            for (std::size_t i = 0; i < size; ++i) index_.insert(hash_of(i), u32(i));
        }
        index_.insert(key.hash, u32(size));
    }
};

class SetFunction : public Score {
    static constexpr std::size_t kMostBytes = std::size_t(1) << 28;
    int n_;
    mutable SetCache cache_;

  public:
    explicit SetFunction(int n) : n_(n), cache_(n, 1, kMostBytes) {}

    int n() const override { return n_; }
    bool expensive_rows() const override { return true; }
    bool rows_are_of_locals() const override { return true; }

    // F of each set; those that are not known yet are computed together.
    std::vector<double> values(const std::vector<NodeSet>& sets) const {
        std::vector<double> out(sets.size());
        std::vector<NodeSet> missing;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < sets.size(); ++i)
            if (!sets[i].empty() && !cache_.find(sets[i], &out[i])) {
                missing.push_back(sets[i]);
                places.push_back(i);
            }
        if (missing.empty()) return out;
        const std::vector<double> found = compute(missing);
        for (std::size_t k = 0; k < places.size(); ++k) {
            out[places[k]] = found[k];
            cache_.insert(missing[k], &found[k]);
        }
        return out;
    }

    double local(int y, const std::vector<int>& P) const override {
        const auto found = values({with(P, y), P});
        return found[0] - found[1];
    }
    void locals(int y, const std::vector<std::vector<int>>& parents, double* out) const override {
        std::vector<NodeSet> sets;
        for (const NodeSet& P : parents) {
            sets.push_back(with(P, y));
            sets.push_back(P);
        }
        const auto found = values(sets);
        for (std::size_t i = 0; i < parents.size(); ++i) out[i] = found[2 * i] - found[2 * i + 1];
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }

  protected:
    // F of non-empty sets.
    virtual std::vector<double> compute(const std::vector<NodeSet>& sets) const = 0;

  private:
    struct Kernel final : RowKernel {
        const SetFunction& s;
        std::vector<NodeSet> toggled;
        explicit Kernel(const SetFunction& score) : s(score) {}

        void row(int y, const std::vector<int>& P, double* difference) override {
            toggled.assign(1, P);
            for (int x = 0; x < s.n_; ++x) {
                if (x == y) continue;
                toggled.push_back(std::binary_search(P.begin(), P.end(), x) ? without(P, x) : with(P, x));
            }
            std::vector<double> scores(toggled.size());
            s.locals(y, toggled, scores.data());
            std::fill_n(difference, std::size_t(s.n_ + 7) / 8 * 8, 0.0);
            for (int x = 0, at = 1; x < s.n_; ++x)
                if (x != y) difference[x] = scores[std::size_t(at++)] - scores[0];
        }
    };
};

}  // namespace czz
