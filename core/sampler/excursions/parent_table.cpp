// Weights of parent sets: filled from the score, summed over subsets, drawn.
#include "sampler/excursions/parent_table.hpp"
#include "base/kernels.hpp"
#include <algorithm>
#include <numeric>

namespace czz {

namespace {

constexpr double kNoWeight = -1e300;  // finite, so that sums of such weights stay ordered
constexpr int kFew = 6;               // so few predecessors that all their subsets are looked at

}  // namespace

ParentTable::ParentTable(const Score& score, RowKernel& kernel, int node, const std::vector<int>& fixed,
                         const std::vector<int>& candidates, int most)
    : candidates_(int(candidates.size())), score_(std::size_t(1) << candidates.size()) {
    fill_subset_scores(score, kernel, node, fixed, candidates, most, score_.data());
}

void ParentTable::weigh(double coldness, double slope) {
    if (coldness == coldness_ && slope == slope_ && !sum_.empty()) return;
    coldness_ = coldness;
    slope_ = slope;
    const u32 sets = u32(score_.size());
    sum_.resize(sets);
    ranked_.clear();
    for (u32 S = 0; S < sets; ++S) {
        sum_[S] = std::isinf(score_[S]) ? kNoWeight : log_weight(S);
        if (sum_[S] > kNoWeight) ranked_.push_back(S);
    }
    std::sort(ranked_.begin(), ranked_.end(),
              [&](u32 a, u32 b) { return sum_[a] != sum_[b] ? sum_[a] > sum_[b] : a < b; });
    for (u32 bit = 1; bit < sets; bit <<= 1)
        for (u32 low = 0; low < sets; low += 2 * bit) log_add(int(bit), &sum_[low], &sum_[low + bit]);
}

u32 ParentTable::draw(u32 A, Rng& rng) const {
    const double total = sum_[A];
    double left = rng.uniform();
    u32 last = 0;  // the empty set always has weight
    auto take = [&](u32 S) {
        last = S;
        return (left -= fast_exp(log_weight(S) - total)) < 0;
    };
    if (popcount(A) <= kFew) {
        for (u32 S = A;; S = (S - 1) & A) {
            if (!std::isinf(score_[S]) && take(S)) return S;
            if (S == 0) return last;
        }
    }
    for (u32 S : ranked_)
        if ((S & ~A) == 0 && take(S)) return S;
    return last;  // rounding has left a rest
}

}  // namespace czz
