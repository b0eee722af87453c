// Three pieces of the core against the obvious alternative: the ziggurat against −log(u), the radix sort against
// std::sort, and the rows of greedy search against those of the sampler.
//
//     g++ -std=c++20 -O2 -Icore benchmarks/pieces.cpp core/base/kernels.cpp -o pieces && ./pieces
//
// CPU time, the least of alternating repetitions. A jump takes at least 300 ns (jumps.txt) and draws one exponential
// number. The keys that are sorted are those of the batches: pairs of nodes in the order in which they first changed,
// when a batch ends. The rows are updated along the path of the forward phase of greedy search from the graph without
// edges, with the Gaussian BIC and an edge prior of log n on data of a random model of average degree 3, N = 1000; for
// the sampler's rows this is the update alone, without finding the best operator.
#include "base/radix_sort.hpp"
#include "base/ziggurat.hpp"
#include "scores/gaussian.hpp"
#include "search/greedy.hpp"
#include "target/scored.hpp"
#include <cstdio>
#include <ctime>

using namespace czz;

namespace {

double now() {
    timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

template <class A, class B>
std::pair<double, double> compare(A&& a, B&& b, int repetitions = 15) {
    double best_a = 1e300, best_b = 1e300;
    for (int i = 0; i < repetitions; ++i) {
        double begun = now();
        a();
        best_a = std::min(best_a, now() - begun);
        begun = now();
        b();
        best_b = std::min(best_b, now() - begun);
    }
    return {best_a, best_b};
}

double sink = 0;

void numbers() {
    constexpr int kCount = 1000000;
    Rng rng{{1, 2, 3, 4}};
    const auto [ziggurat, logarithm] = compare(
        [&] {
            for (int i = 0; i < kCount; ++i) sink += exponential(rng);
        },
        [&] {
            for (int i = 0; i < kCount; ++i) sink -= fast_log(1 - rng.uniform());
        });
    std::printf("exponential numbers    ziggurat %6.2f ns   -log(u) %6.2f ns   each\n", ziggurat / kCount,
                logarithm / kCount);
}

void sorting(int n, std::size_t count) {
    Rng rng{{1, 2, 3, 4}};
    const u64 pairs = u64(n) * u64(n - 1) / 2;
    std::vector<u64> keys;
    for (std::size_t i = 0; i < count; ++i) keys.push_back(u64(rng.uniform() * double(pairs)) << 32 | i);
    std::vector<u64> a, b;
    const auto [radix, standard] = compare(
        [&] {
            a = keys;
            sort_by_upper_half(a, pairs);
        },
        [&] {
            b = keys;
            std::sort(b.begin(), b.end());
        });
    std::printf("sort, n = %4d   %7zu keys   radix %6.2f ns   std::sort %6.2f ns   per key%s\n", n, count,
                radix / double(count), standard / double(count), a == b ? "" : "   DIFFERENT");
}

// The BIC of data from a linear Gaussian model on a random DAG.
Gaussian random_score(int n) {
    constexpr int kRows = 1000;
    Rng rng{{5, 6, 7, 8}};
    auto normal = [&] { return std::sqrt(2 * exponential(rng)) * std::cos(2 * 3.141592653589793 * rng.uniform()); };
    const std::size_t size = std::size_t(n);
    std::vector<std::vector<double>> column(size, std::vector<double>(kRows));
    for (std::size_t v = 0; v < size; ++v) {
        for (double& x : column[v]) x = normal();
        for (std::size_t u = 0; u < v; ++u) {
            if (rng.uniform() >= 3.0 / (n - 1)) continue;
            const double weight = (rng.uniform() < 0.5 ? -1 : 1) * (0.4 + 0.6 * rng.uniform());
            for (std::size_t i = 0; i < kRows; ++i) column[v][i] += weight * column[u][i];
        }
        double mean = 0, square = 0;
        for (double x : column[v]) mean += x / kRows;
        for (double& x : column[v]) square += (x - mean) * (x - mean) / kRows;
        for (double& x : column[v]) x = (x - mean) / std::sqrt(square);
    }
    std::vector<double> correlation(size * size), h(size + 1, kRows / 2.0), c(size + 1), scale(size);
    for (std::size_t a = 0; a < size; ++a)
        for (std::size_t b = 0; b < size; ++b)
            for (std::size_t i = 0; i < kRows; ++i) correlation[a * size + b] += column[a][i] * column[b][i] / kRows;
    for (std::size_t k = 0; k <= size; ++k) c[k] = -kRows / 2.0 - (1 + double(k)) * std::log(double(kRows)) / 2;
    return Gaussian(n, correlation.data(), scale.data(), h.data(), c.data(), 0);
}

void rows(int n) {
    const Gaussian score = random_score(n);
    ProcessSettings process;
    process.prior.slope = -std::log(double(n));
    std::vector<Operator<4>> path;
    const auto [search, update] = compare(
        [&] {
            path.clear();
            Greedy<4> greedy(Cpdag<4>(n), score, process.prior, n, {}, nullptr);
            while (const auto step = greedy.best(true)) {
                path.push_back(step->op);
                greedy.apply({step->op});
            }
        },
        [&] {
            Cpdag<4> graph(n);
            ScoredTarget<4> target(score, process, n, {}, std::size_t(64) << 20);
            target.rebuild(graph);
            for (const Operator<4>& op : path) {
                graph.apply(op);
                target.update(graph, op.x, op.y);
            }
        },
        5);
    std::printf("rows, n = %4d   %4zu steps   greedy search, whole %8.2f ms   rows of the sampler, updates %8.2f ms\n",
                n, path.size(), search / 1e6, update / 1e6);
}

}  // namespace

int main() {
    numbers();
    for (int n : {50, 200, 1000})
        for (std::size_t count : {256, 512, 2048, 16384, 131072}) sorting(n, count);
    for (int n : {20, 50, 100, 200}) rows(n);
    return sink == 0.5;
}
