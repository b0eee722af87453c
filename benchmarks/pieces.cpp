// Two pieces of the core against the standard way: the ziggurat against −log(u), and the radix sort against std::sort.
//
//     g++ -std=c++20 -O2 -Icore benchmarks/pieces.cpp -o pieces && ./pieces
//
// Nanoseconds of CPU time, the least of 15 alternating repetitions. A jump takes 300 ns and more (jumps.txt) and draws
// one exponential number. The keys that are sorted are those of the batches: pairs of nodes in the order in which they
// first changed, when a batch ends.
#include "base/radix_sort.hpp"
#include "base/ziggurat.hpp"
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
std::pair<double, double> compare(A&& a, B&& b) {
    double best_a = 1e300, best_b = 1e300;
    for (int i = 0; i < 15; ++i) {
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

}  // namespace

int main() {
    numbers();
    for (int n : {50, 200, 1000})
        for (std::size_t count : {256, 512, 2048, 16384, 131072}) sorting(n, count);
    return sink == 0.5;
}
