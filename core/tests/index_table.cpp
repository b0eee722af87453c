// IndexTable against std::map, with hashes that collide.
#include "base/index_table.hpp"
#include "base/hash.hpp"
#include "base/rng.hpp"
#include "tests/check.hpp"
#include <map>

using namespace czz;

namespace {

// `spread`: the number of different hashes.
void check_table(u64 spread, Rng& rng) {
    std::vector<u64> keys;  // by index; an index is never used twice
    std::map<u64, u32> plain;
    IndexTable table(16);
    auto hash = [&](u64 key) { return mix64(key) % spread; };
    auto hash_of = [&](u32 i) { return hash(keys[i]); };
    auto find = [&](u64 key) { return table.find(hash(key), [&](u32 i) { return keys[i] == key; }); };
    for (int k = 0; k < 3000; ++k) {
        const u64 key = u64(rng.below(200));
        const auto at = plain.find(key);
        CHECK(find(key) == (at == plain.end() ? IndexTable::kNone : at->second));
        if (at != plain.end() && rng.uniform() < 0.6) {
            table.erase(at->second, hash_of);
            plain.erase(at);
        } else {
            const u32 next = u32(keys.size());
            keys.push_back(key);
            const u32 found = table.find_or_insert(hash(key), next, [&](u32 i) { return keys[i] == key; });
            CHECK(found == (at == plain.end() ? next : at->second));
            plain.emplace(key, next);
        }
        if (table.crowded(plain.size())) {
            table.clear(2 * table.slots());
            for (const auto& [_, i] : plain) table.insert(hash_of(i), i);
        }
        CHECK(!table.crowded(plain.size()));
        if (k % 100 == 0)
            for (u64 other = 0; other < 200; ++other)
                CHECK((find(other) != IndexTable::kNone) == (plain.count(other) > 0));
    }
    table.clear(3);
    CHECK(table.slots() == 4);
    for (u64 key = 0; key < 200; ++key) CHECK(find(key) == IndexTable::kNone);
}

}  // namespace

void test_index_table() {
    Rng rng{{9, 8, 7, 6}};
    for (u64 spread : {1, 3, 50, 100000}) check_table(spread, rng);
    IndexTable table(8);
    CHECK(table.first_probe(5) == IndexTable::kNone);
    table.insert(5, 0);
    CHECK(table.first_probe(5) == 0 && table.first_probe(13) == 0 && table.first_probe(6) == IndexTable::kNone);
}
