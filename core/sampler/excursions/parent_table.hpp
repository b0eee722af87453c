// ParentTable: the weights of all parent sets of one node within its candidates, and their sums over subsets.
//
// For a node v with fixed parents F and candidates c_0 .. c_{k-1}, a set S of candidates is a bit mask, and
//
//   log w(S) = coldness · s(v, F ∪ S) + slope · |S|,    Z(A) = Σ_{S ⊆ A} w(S).
//
// Z is the zeta transform of w, computed in log space: local scores of large tables differ by thousands.
#pragma once
#include "base/rng.hpp"
#include "scores/subset_scores.hpp"

namespace czz {

class ParentTable {
  public:
    // Sets with more than `most` members have no weight.
    ParentTable(const Score& score, RowKernel& kernel, int node, const std::vector<int>& fixed,
                const std::vector<int>& candidates, int most);

    // Weights under this coldness and this log weight per edge.
    void weigh(double coldness, double slope);

    int size() const { return candidates_; }
    double score(u32 S) const { return score_[S]; }
    double log_weight(u32 S) const { return coldness_ * score_[S] + slope_ * popcount(S); }
    double log_sum(u32 A) const { return sum_[A]; }
    // A set S ⊆ A with probability w(S) / Z(A).
    u32 draw(u32 A, Rng& rng) const;

  private:
    int candidates_;
    double coldness_ = 0, slope_ = 0;
    std::vector<double> score_, sum_;
    std::vector<u32> ranked_;  // the sets that have weight, by descending weight
};

}  // namespace czz
