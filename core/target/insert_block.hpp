// The operators of one clique of a row: where its inserts are in the cached row, and the sum of their rates.
#pragma once
#include "base/kernels.hpp"
#include "base/math.hpp"

namespace czz {

// The sum of the rates at the open ones of the places of a row.
template <int W>
WideSum sum_of_places(const double* rate, int places, const Bits<W>& open) {
    return wide_masked_sum(rate, std::min((places + 15) & ~15, 64 * open.words()), open.data());
}

// The operators (K, x) of one clique K: inserts at the places X of its row (less those that are shut), deletes for x in
// S = Pa(y) ∪ K.
template <int W>
struct InsertBlock {
    Bits<W> K, X;
    u32 row;
    int places;  // for inserts, of the row
    const double* rate;
    WideSum sum;              // of the insert rates, in units of 2^insert_exponent
    double total;             // its value
    double peak;              // the largest value since the sum was computed from scratch
    double unit;              // 2^insert_exponent in the units of the weights
    double inserts, deletes;  // its part of the weights of its row

    template <class A>
    void state(A& a) {
        a(K, row, sum, peak);
    }
    int words() const { return W == 1 ? 1 : (places + 63) / 64; }
    // Adds the rates of some places of a word that are now in X, subtracts those of the others.
    void toggle(int word, u64 which, u64 now) {
        for (u64 m = which; m; m &= m - 1) {
            const int j = std::countr_zero(m);
            const u64 r = std::bit_cast<u64>(rate[64 * word + j]);
            sum.add(std::bit_cast<double>(r ^ (~now >> j) << 63));  // sets the sign without a branch
        }
    }
    // Computes the sum from scratch.
    void add_up(const Bits<W>& shut) {
        sum = sum_of_places(rate, places, X - shut);
        total = peak = sum.value();
    }
};

}  // namespace czz
