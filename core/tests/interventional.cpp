// What the kernel of a score under conditions caches: the limit holds, counted in bytes, and changes no number.
#include "scores/interventional.hpp"
#include "base/rng.hpp"
#include "tests/check.hpp"
#include <cmath>
#include <new>

namespace {

std::size_t live_bytes = 0;
constexpr std::size_t kHeader = 16;

}  // namespace

void* operator new(std::size_t size) {
    auto* const block = static_cast<char*>(std::malloc(size + kHeader));
    if (!block) throw std::bad_alloc();
    *reinterpret_cast<std::size_t*>(block) = size;
    live_bytes += size;
    return block + kHeader;
}
void operator delete(void* p) noexcept {
    if (!p) return;
    char* const block = static_cast<char*>(p) - kHeader;
    live_bytes -= *reinterpret_cast<std::size_t*>(block);
    std::free(block);
}
void operator delete(void* p, std::size_t) noexcept { operator delete(p); }

using namespace czz;

namespace {

constexpr int kConditions = 10, kVariables = 30, kNodes = kConditions + kVariables;
constexpr int kCells = kConditions + 1;  // one condition is on, or none

// Moments of random rows.
BgeOfGroups random_moments(Rng& rng) {
    constexpr std::size_t p = kVariables;
    BgeOfGroups of{{p, 1.0, p + 2.0, 0.5}, {}, {}, std::vector<double>(kCells * p * p)};
    std::vector<double> x(p);
    for (std::size_t cell = 0; cell < kCells; ++cell) {
        of.rows.push_back(20);
        of.sums.insert(of.sums.end(), p, 0.0);
        for (int row = 0; row < 20; ++row) {
            for (std::size_t i = 0; i < p; ++i) x[i] = rng.uniform() - 0.5 + (i > 0 ? 0.5 * x[i - 1] : 0);
            for (std::size_t i = 0; i < p; ++i) {
                of.sums[cell * p + i] += x[i];
                for (std::size_t j = 0; j < p; ++j) of.products[(cell * p + i) * p + j] += x[i] * x[j];
            }
        }
    }
    return of;
}

Interventional random_score(Rng& rng) {
    std::vector<int> conditions, levels(kConditions, 2);
    std::vector<std::vector<int>> cells(kCells, std::vector<int>(kConditions));
    for (int i = 0; i < kConditions; ++i) {
        conditions.push_back(i);
        cells[std::size_t(i) + 1][std::size_t(i)] = 1;
    }
    std::vector<char> sets(kConditions);
    sets[3] = 1;
    const auto of = std::make_shared<const BgeOfGroups>(random_moments(rng));
    return Interventional(
        kNodes, conditions, sets, levels, cells,
        [of](const auto& variables, const auto& in, double share) { return (*of)(variables, in, share); },
        [of](const auto& in) { return of->bytes(in); });
}

std::vector<int> random_parents(Rng& rng, int y) {
    std::vector<int> S;
    for (int v = 0; v < kNodes; ++v)
        if (v != y && rng.uniform() < 0.08) S.push_back(v);
    return S;
}

}  // namespace

void test_interventional() {
    Rng rng{{1, 2, 3, 4}};
    const Interventional score = random_score(rng);
    constexpr std::size_t kLimit = 1 << 20, kWorkingSpace = 1 << 16;
    const auto kernel = score.kernel(), unlimited = score.kernel();
    CHECK(kernel->limit_cache(kLimit) == kLimit);
    CHECK(unlimited->limit_cache(std::size_t(1) << 40) == std::size_t(1) << 40);
    std::vector<double> limited_row(kNodes), row(kNodes);
    std::size_t cached = 0, most = 0;
    for (int i = 0; i < 300; ++i) {
        const int y = rng.below(kNodes);
        const std::vector<int> S = random_parents(rng, y);
        const std::size_t before = live_bytes;
        kernel->row(y, S, limited_row.data());
        cached += live_bytes - before;  // it may wrap around when the cache is emptied
        most = std::max(most, cached);
        unlimited->row(y, S, row.data());
        for (int x = 0; x < kNodes; ++x) CHECK(limited_row[std::size_t(x)] == row[std::size_t(x)]);
        const int x = (y + 1) % kNodes;
        std::vector<int> toggled = S;
        const auto at = std::lower_bound(toggled.begin(), toggled.end(), x);
        if (at != toggled.end() && *at == x) toggled.erase(at);
        else toggled.insert(at, x);
        const double difference = score.local(y, toggled) - score.local(y, S);
        CHECK(std::abs(row[std::size_t(x)] - difference) < 1e-9 * (1 + std::abs(score.local(y, S))));
    }
    CHECK(most < kLimit + kWorkingSpace);
    CHECK(most > kLimit / 2);
}
