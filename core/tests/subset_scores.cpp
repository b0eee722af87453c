// Scores of all sets of candidates, from all columns and from those that are needed, against local scores.
#include "scores/subset_scores.hpp"
#include "base/rng.hpp"
#include "scores/gaussian.hpp"
#include "tests/check.hpp"
#include <cmath>

using namespace czz;

namespace {

constexpr int kColumns = 100;  // above kFewColumns

// Without restricted(), all columns are used.
struct Whole final : Score {
    const Gaussian& of;
    explicit Whole(const Gaussian& score) : of(score) {}
    int n() const override { return of.n(); }
    double local(int y, const std::vector<int>& parents) const override { return of.local(y, parents); }
    std::unique_ptr<RowKernel> kernel() const override { return of.kernel(); }
};

Gaussian random_score(Rng& rng, double d) {
    std::vector<double> factor(kColumns * kColumns), R(factor.size()), scale, h, c;
    for (double& x : factor) x = rng.uniform() - 0.5;
    for (int i = 0; i < kColumns; ++i)
        for (int j = 0; j < kColumns; ++j) {
            double sum = i == j ? 5 : 0;
            for (int k = 0; k < kColumns; ++k) sum += factor[i * kColumns + k] * factor[j * kColumns + k];
            R[i * kColumns + j] = sum;
        }
    std::vector<double> sd;
    for (int i = 0; i < kColumns; ++i) sd.push_back(std::sqrt(R[i * kColumns + i]));
    for (int i = 0; i < kColumns; ++i)
        for (int j = 0; j < kColumns; ++j) R[i * kColumns + j] /= sd[i] * sd[j];
    for (int i = 0; i < kColumns; ++i) scale.push_back(rng.uniform());
    for (int k = 0; k <= kColumns; ++k) {
        h.push_back(50 + 0.5 * k);
        c.push_back(-3.0 * k);
    }
    return Gaussian(kColumns, R.data(), scale.data(), h.data(), c.data(), d);
}

}  // namespace

void test_subset_scores() {
    Rng rng{{3, 5, 7, 9}};
    for (double d : {0.0, 0.5}) {
        const Gaussian score = random_score(rng, d);
        const Whole whole(score);
        const int y = 40;
        for (const std::vector<int>& fixed : {std::vector<int>{}, std::vector<int>{3, 97}}) {
            const std::vector<int> candidates{99, 7, 41, 64, 12, 80, 39};
            std::vector<double> one(128), other(128);
            fill_subset_scores(score, *score.kernel(), y, fixed, candidates, 6, one.data());
            fill_subset_scores(whole, *whole.kernel(), y, fixed, candidates, 6, other.data());
            CHECK(one == other);  // to the bit
            for (u32 m = 0; m < 128; ++m) {
                std::vector<int> S = fixed;
                for (u32 i = 0; i < 7; ++i)
                    if (m >> i & 1) S.push_back(candidates[i]);
                if (S.size() > 6) CHECK(std::isinf(one[m]) && one[m] < 0);
                else CHECK(std::abs(one[m] - score.local(y, S)) < 1e-9);
            }
        }
    }
}
