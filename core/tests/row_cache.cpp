// RowCache: what is looked up is what was computed, whatever was evicted; pinned rows stay; a loaded cache behaves the
// same.
#include "target/row_cache.hpp"
#include "base/archive.hpp"
#include "base/rng.hpp"
#include "tests/check.hpp"
#include <deque>

using namespace czz;

namespace {

constexpr int kNodes = 20;
constexpr int kFirst = 6;  // of the nodes y, which are not in S

double value(int y, u64 S, int x) { return double(y) + 1e3 * double(S) + 1e-3 * x; }

template <int W>
void fill(CachedRow<W>& row, u32 places = 32) {
    if (row.inserts == 0) {  // a listed row
        row.listed.assign(places, 0.0);
        row.places = places;
        row.rate = row.listed.data();
    }
    for (int x = 0; x < kNodes; ++x) row.rate[x] = value(row.y, row.S.word(0), x);
    if (row.difference)
        for (int x = 0; x < kNodes; ++x) row.difference[x] = -row.rate[x];
    row.pending = false;
}

struct Held {
    u32 id;
    int y;
    u64 S;
};

template <int W>
void check_cache(bool listed, bool differences, std::size_t rows, Rng& rng) {
    const std::size_t list = RowCache<W>::list_bytes(kNodes) + 32 * sizeof(double);
    const std::size_t bytes =
        rows * ((listed ? 0 : 32) + (differences ? 24 : 0)) * sizeof(double) + (listed ? rows * list : 0);
    RowCache<W> cache(kNodes, listed, differences, bytes);
    std::deque<Held> held;
    std::size_t computed = 0;
    auto check = [](RowCache<W>& c, const Held& h) {
        CachedRow<W>& row = c[h.id];
        CHECK(row.y == h.y && row.S.word(0) == h.S && row.pins > 0);
        for (int x = 0; x < kNodes; ++x) {
            CHECK(row.rate[x] == value(h.y, h.S, x));
            CHECK(!row.difference || row.difference[x] == -row.rate[x]);
        }
        for (int x = 24; x < 32; ++x) CHECK(row.rate[x] == 0);  // the padding
    };
    auto pin = [&](RowCache<W>& c, int y, u64 S) {
        Bits<W> set;
        set.at(0) = S;
        return Held{c.pin(y, set,
                          [&](CachedRow<W>& row) {
                              ++computed;
                              fill(row);
                          }),
                    y, S};
    };
    for (int k = 0; k < 5000; ++k) {
        held.push_back(pin(cache, kFirst + rng.below(4), u64(rng.below(64))));
        check(cache, held.back());
        if (held.size() > rows / 2) {
            check(cache, held.front());
            cache.unpin(held.front().id);
            held.pop_front();
        }
    }
    for (const Held& h : held) check(cache, h);
    CHECK(cache.lookups == 5000 && cache.misses == computed);
    CHECK(rows < 256 ? cache.evictions > 0 : cache.evictions == 0);  // there are 4 · 64 different rows
    CHECK(cache.misses - cache.evictions <= rows + rows / 2 + 1);    // the limit, and the pinned ones

    // A score that fails leaves the cache as it was.
    bool thrown = false;
    Bits<W> set;
    set.at(0) = 1001;  // the row that remains free may have any set
    try {
        cache.pin(12, set, [](CachedRow<W>&) { throw 1; });
    } catch (int) {
        thrown = true;
    }
    CHECK(thrown);
    for (const Held& h : held) check(cache, h);

    Saver saver;
    cache.state(saver);
    const std::string state = std::move(saver).bytes();
    Loader loader(state);
    RowCache<W> loaded(kNodes, listed, differences, bytes);
    loaded.state(loader);
    loader.end();
    for (const Held& h : held) {
        Bits<W> S;
        S.at(0) = h.S;
        CHECK(loaded.holds(h.id, h.y, S));
        cache.unpin(h.id);  // a loaded cache has no pins: from here on both evict the same rows
    }
    for (int k = 0; k < 500; ++k) {
        const int y = kFirst + rng.below(4);
        const u64 S = u64(rng.below(64));
        const Held a = pin(cache, y, S), b = pin(loaded, y, S);
        CHECK(a.id == b.id);
        check(cache, a);
        check(loaded, b);
        cache.unpin(a.id);
        loaded.unpin(b.id);
    }
    CHECK(cache.misses == loaded.misses && cache.evictions == loaded.evictions);
}

// Rows with many rates take the memory of several others.
void check_long_lists() {
    const std::size_t row = RowCache<1>::list_bytes(kNodes);
    RowCache<1> cache(kNodes, true, false, 100 * row + 3200 * sizeof(double));
    auto live = [&](u32 places, u64 first) {
        for (u64 S = first; S < first + 300; ++S) {
            Bits<1> set;
            set.at(0) = S << kFirst;
            cache.unpin(cache.pin(0, set, [&](CachedRow<1>& r) { fill(r, places); }));
        }
        return cache.misses - cache.evictions;
    };
    CHECK(live(32, 1) == 100);
    CHECK(live(320, 1000) < 20);
    CHECK(live(3200, 2000) <= 2);
    CHECK(live(32, 3000) == 100);
}

}  // namespace

void test_row_cache() {
    check_long_lists();
    Rng rng{{2, 4, 6, 8}};
    for (std::size_t rows : {2, 10, 100, 300})
        for (bool listed : {false, true})
            for (bool differences : {false, true}) {
                check_cache<1>(listed, differences, rows, rng);
                check_cache<0>(listed, differences, rows, rng);
            }
}
