// Radix sort of words by their upper halves, which are below a known bound; benchmarks/pieces.cpp compares it with
// std::sort.
#pragma once
#include "base/bits.hpp"
#include <numeric>

namespace czz {

// Sorts by the upper 32 bits, which are below `end`. Words with equal upper halves must already be in order.
inline void sort_by_upper_half(std::vector<u64>& keys, u64 end) {
    constexpr int kDigit = 11;
    if (keys.size() < std::size_t(1) << (kDigit - 2)) {  // for few words counting takes longer than comparing
        std::sort(keys.begin(), keys.end());
        return;
    }
    std::vector<u64> sorted(keys.size());
    for (int shift = 32; end >> (shift - 32); shift += kDigit) {
        std::array<std::size_t, 1 << kDigit> place{};
        for (u64 k : keys) ++place[k >> shift & (place.size() - 1)];
        std::exclusive_scan(place.begin(), place.end(), place.begin(), std::size_t(0));
        for (u64 k : keys) sorted[place[k >> shift & (place.size() - 1)]++] = k;
        keys.swap(sorted);
    }
}

}  // namespace czz
