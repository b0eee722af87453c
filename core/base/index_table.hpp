// A hash table of indices by open addressing with linear probing.
//
// The caller keeps the keys in an array of its own and passes hashes and a test for equality, so that a slot takes four
// bytes and no key is stored twice.
#pragma once
#include "base/bits.hpp"

namespace czz {

class IndexTable {
    static constexpr u32 kFree = 0;
    std::vector<u32> slots_;  // 1 + index, or kFree; the number of slots is a power of two

    std::size_t mask() const { return slots_.size() - 1; }

  public:
    static constexpr u32 kNone = kFree - 1;  // so that a slot minus one is an index or kNone

    explicit IndexTable(std::size_t slots) : slots_(std::bit_ceil(slots)) {}

    std::size_t slots() const { return slots_.size(); }
    // Removes all indices and sets the number of slots, at least `slots`.
    void clear(std::size_t slots) { slots_.assign(std::bit_ceil(slots), kFree); }
    // Whether `count` indices fill more than half of the slots; beyond that, searches become long.
    bool crowded(std::size_t count) const { return 2 * count > slots_.size(); }

    // The index with this hash for which equal(index) holds, or kNone.
    template <class Equal>
    u32 find(u64 hash, Equal&& equal) const {
        std::size_t at = hash & mask();
        while (slots_[at] != kFree && !equal(slots_[at] - 1)) at = (at + 1) & mask();
        return slots_[at] - 1;
    }
    // Adds an index whose key is not in the table.
    void insert(u64 hash, u32 index) {
        std::size_t at = hash & mask();
        while (slots_[at] != kFree) at = (at + 1) & mask();
        slots_[at] = index + 1;
    }
    // The same as find, but adds `index` where there is none, and returns it.
    template <class Equal>
    u32 find_or_insert(u64 hash, u32 index, Equal&& equal) {
        std::size_t at = hash & mask();
        while (slots_[at] != kFree && !equal(slots_[at] - 1)) at = (at + 1) & mask();
        if (slots_[at] == kFree) slots_[at] = index + 1;
        return slots_[at] - 1;
    }
    // Removes an index that is in the table, and moves later ones into the gap, so that searches still reach them
    // (Knuth, section 6.4, algorithm R). hash_of(index) returns the hash of any index in the table.
    template <class HashOf>
    void erase(u32 index, HashOf&& hash_of) {
        std::size_t gap = hash_of(index) & mask();
        while (slots_[gap] != index + 1) gap = (gap + 1) & mask();
        for (std::size_t at = gap;;) {
            at = (at + 1) & mask();
            if (slots_[at] == kFree) break;
            const std::size_t home = hash_of(slots_[at] - 1) & mask();
            if (((at - home) & mask()) >= ((at - gap) & mask())) {
                slots_[gap] = slots_[at];
                gap = at;
            }
        }
        slots_[gap] = kFree;
    }

    // For prefetching: prefetch() loads the slot where the search for a hash begins. first_probe() returns the index in
    // that slot, which find() usually returns too; kNone if the slot is free.
    void prefetch(u64 hash) const { __builtin_prefetch(&slots_[hash & mask()]); }
    u32 first_probe(u64 hash) const { return slots_[hash & mask()] - 1; }
};

}  // namespace czz
