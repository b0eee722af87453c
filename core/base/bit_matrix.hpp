// A square matrix of bits in one block of memory, for graphs whose width is not known at compile time.
#pragma once
#include "base/bits.hpp"

namespace czz {

class BitMatrix {
    std::size_t words_;  // per row
    std::vector<u64> data_;

  public:
    explicit BitMatrix(int n) : words_((std::size_t(n) + 63) / 64), data_(std::size_t(n) * words_) {}

    int words() const { return int(words_); }
    const u64* row(int i) const { return data_.data() + std::size_t(i) * words_; }
    bool test(int i, int j) const { return row(i)[j >> 6] >> (j & 63) & 1; }
    void flip(int i, int j) { data_[std::size_t(i) * words_ + std::size_t(j >> 6)] ^= u64(1) << (j & 63); }
    // Calls f(j) for every bit j of row i.
    template <class F>
    void each(int i, F&& f) const {
        for (int k = 0; k < words(); ++k) each_bit(row(i)[k], 64 * k, f);
    }
};

}  // namespace czz
