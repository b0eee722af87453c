// Scores of all sets of candidates, from all columns and from those that are needed, against local scores.
#include "scores/subset_scores.hpp"
#include "base/rng.hpp"
#include "scores/blocks.hpp"
#include "scores/discrete.hpp"
#include "scores/gaussian.hpp"
#include "tests/check.hpp"
#include <cmath>

using namespace czz;

namespace {

constexpr int kColumns = 100;  // so many that those of a Gaussian score are restricted

// Without restricted(), all columns are used.
struct Whole final : Score {
    const Score& of;
    explicit Whole(const Score& score) : of(score) {}
    int n() const override { return of.n(); }
    double local(int y, const std::vector<int>& parents) const override { return of.local(y, parents); }
    std::unique_ptr<RowKernel> kernel() const override { return of.kernel(); }
};

struct Moments {
    std::vector<double> correlation, log_scale;
    explicit Moments(Rng& rng) : correlation(kColumns * kColumns) {
        std::vector<double> factor(correlation.size()), sd;
        for (double& x : factor) x = rng.uniform() - 0.5;
        for (int i = 0; i < kColumns; ++i)
            for (int j = 0; j < kColumns; ++j) {
                double sum = i == j ? 5 : 0;
                for (int k = 0; k < kColumns; ++k) sum += factor[i * kColumns + k] * factor[j * kColumns + k];
                correlation[i * kColumns + j] = sum;
            }
        for (int i = 0; i < kColumns; ++i) sd.push_back(std::sqrt(correlation[i * kColumns + i]));
        for (int i = 0; i < kColumns; ++i)
            for (int j = 0; j < kColumns; ++j) correlation[i * kColumns + j] /= sd[i] * sd[j];
        for (int i = 0; i < kColumns; ++i) log_scale.push_back(rng.uniform());
    }
};

std::unique_ptr<Score> random_gaussian(Rng& rng, double d) {
    const Moments m(rng);
    std::vector<double> h, c;
    for (int k = 0; k <= kColumns; ++k) {
        h.push_back(50 + 0.5 * k);
        c.push_back(-3.0 * k);
    }
    return std::make_unique<Gaussian>(kColumns, m.correlation.data(), m.log_scale.data(), h.data(), c.data(), d);
}

// Blocks of one and of two columns.
std::unique_ptr<Score> random_blocks(Rng& rng, double slope) {
    const Moments m(rng);
    std::vector<int> begin{0};
    while (begin.back() < kColumns) begin.push_back(std::min(kColumns, begin.back() + 1 + int(begin.size()) % 2));
    std::vector<double> c;
    for (int k = 0; k <= kColumns; ++k) c.push_back(-3.0 * k);
    return std::make_unique<Blocks>(begin, m.correlation.data(), m.log_scale.data(), 50, slope, c.data(), 2);
}

// Columns of two to twenty levels, so that some have bitmaps.
std::unique_ptr<Score> random_discrete(Rng& rng, int most_levels, double sample_size) {
    constexpr std::size_t kRows = 150;
    std::vector<int> levels;
    std::vector<std::uint16_t> table;
    for (int v = 0; v < kColumns; ++v) {
        levels.push_back(2 + rng.below(most_levels - 1));
        for (std::size_t i = 0; i < kRows; ++i) table.push_back(std::uint16_t(rng.below(levels.back())));
    }
    return std::make_unique<Discrete>(levels, kRows, table.data(), std::vector<int>{}, sample_size, 2.5);
}

void check_subsets(const Score& score) {
    const Whole whole(score);
    const int y = 40;
    for (const std::vector<int>& fixed : {std::vector<int>{}, std::vector<int>{3, 47}}) {
        const std::vector<int> candidates{49, 7, 41, 24, 12, 60, 39};
        std::vector<double> one(128), other(128);
        fill_subset_scores(score, *score.kernel(), y, fixed, candidates, 6, one.data());
        fill_subset_scores(whole, *whole.kernel(), y, fixed, candidates, 6, other.data());
        CHECK(one == other);  // to the bit
        for (u32 m = 0; m < 128; ++m) {
            std::vector<int> S = fixed;
            for (u32 i = 0; i < 7; ++i)
                if (m >> i & 1) S.push_back(candidates[i]);
            std::sort(S.begin(), S.end());
            if (S.size() > 6) CHECK(std::isinf(one[m]) && one[m] < 0);
            else CHECK(std::abs(one[m] - score.local(y, S)) < 1e-9 * (1 + std::abs(one[m])));
        }
    }
}

}  // namespace

void test_subset_scores() {
    Rng rng{{3, 5, 7, 9}};
    for (double d : {0.0, 0.5}) {
        check_subsets(*random_gaussian(rng, d));
        check_subsets(*random_blocks(rng, d));
        for (int most_levels : {2, 3, 20}) check_subsets(*random_discrete(rng, most_levels, 2 * d));
    }
}
