// Weights: totals after any changes, and the choice at every height.
#include "base/weighted_choice.hpp"
#include "base/rng.hpp"
#include "tests/check.hpp"

using namespace czz;

void test_weighted_choice() {
    Rng rng{{4, 3, 2, 1}};
    for (int n : {1, 15, 16, 17, 64, 65, 1025, 2000}) {
        Weights weights(n);
        std::vector<double> plain(std::size_t(n), 0.0);
        for (int k = 0; k < 300; ++k) {
            const int i = rng.below(n);
            const double w = double(rng.below(5));  // small integers: sums are exact
            if (rng.uniform() < 0.5) {
                weights.set(i, w);
                plain[std::size_t(i)] = w;
            } else {
                weights.add(i, w);
                plain[std::size_t(i)] += w;
            }
            double total = 0;
            for (double p : plain) total += p;
            CHECK(weights.total() == total && weights[i] == plain[std::size_t(i)]);
            if (k % 10 || total == 0) continue;
            for (int t = 0; t < 20; ++t) {
                const double height = rng.uniform() * total;
                double u = height;
                const int chosen = weights.pick(u);
                double below = 0;
                for (int j = 0; j < chosen; ++j) below += plain[std::size_t(j)];
                CHECK(below <= height && height < below + plain[std::size_t(chosen)]);
                CHECK(u >= 0 && u < plain[std::size_t(chosen)] && std::abs(u - (height - below)) < 1e-9 * total);
            }
        }
    }
    // A height that rounding has carried to the end falls on the last node that has a weight.
    Weights weights(40);
    weights.set(3, 1.0);
    weights.set(20, 2.0);
    double u = weights.total();
    CHECK(weights.pick(u) == 20 && u < 2.0);
}
