// Draws a place of a row in proportion to its rate.
#pragma once
#include "base/kernels.hpp"
#include <stdexcept>

namespace czz {

// Only if a score is not a number.
[[noreturn, gnu::cold, gnu::noinline]] inline void no_rate_is_positive() {
    throw std::logic_error("no rate is positive");
}

// The open place of one word at position u of the cumulative rates; u becomes the position within its rate.
inline int draw_in_word(const double* rate, int word, u64 open, double& u) {
    int place = -1;
    for (u64 mask = open; mask; mask &= mask - 1) {
        const int j = 64 * word + std::countr_zero(mask);
        if (!(rate[j] > 0)) continue;
        place = j;
        if (u < rate[j]) break;
        u -= rate[j];
    }
    if (place < 0) no_rate_is_positive();
    return place;
}

// The same for all words; open_word(i) returns the open places of word i.
template <class F>
int draw_place(const double* rate, int places, F&& open_word, double& u) {
    const int words = (places + 63) / 64;
    int word = words == 1 ? 0 : -1;
    for (int i = 0; words > 1 && i < words; ++i) {
        const int lanes = std::min(64, (places - 64 * i + 15) & ~15);
        const double sum = masked_sum(rate + 64 * i, lanes, open_word(i));
        if (!(sum > 0)) continue;
        word = i;
        if (u < sum) break;
        u -= sum;
    }
    if (word < 0) no_rate_is_positive();
    return draw_in_word(rate, word, open_word(word), u);
}

}  // namespace czz
