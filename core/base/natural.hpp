// Natural numbers of any size, with the operations that exact counts and exact draws need.
#pragma once
#include "base/rng.hpp"
#include <cmath>

namespace czz {

__extension__ typedef unsigned __int128 u128;

// Uniform on 0 .. bound - 1, without bias: draws as many random bits as bound - 1 has until they are below the bound.
inline u64 uniform_below(u64 bound, Rng& rng) {
    const u64 mask = bound > 1 ? ~u64(0) >> std::countl_zero(bound - 1) : 0;
    for (;;) {
        const u64 v = rng() & mask;
        if (v < bound) return v;
    }
}

class Natural {
    std::vector<u64> limb_;  // least significant first; the last is not zero, so the number zero has no limbs

    void trim() {
        while (!limb_.empty() && limb_.back() == 0) limb_.pop_back();
    }

  public:
    Natural(u64 v = 0) : limb_(v ? 1 : 0, v) {}

    const std::vector<u64>& limbs() const { return limb_; }

    Natural& operator+=(const Natural& o) {
        if (limb_.size() < o.limb_.size()) limb_.resize(o.limb_.size());
        u64 carry = 0;
        for (std::size_t i = 0; i < limb_.size() && (carry || i < o.limb_.size()); ++i) {
            const u128 sum = u128(limb_[i]) + (i < o.limb_.size() ? o.limb_[i] : 0) + carry;
            limb_[i] = u64(sum);
            carry = u64(sum >> 64);
        }
        if (carry) limb_.push_back(carry);
        return *this;
    }
    Natural& operator-=(const Natural& o) {  // o must not be larger
        u64 borrow = 0;
        for (std::size_t i = 0; i < limb_.size() && (borrow || i < o.limb_.size()); ++i) {
            const u128 difference = u128(limb_[i]) - (i < o.limb_.size() ? o.limb_[i] : 0) - borrow;
            limb_[i] = u64(difference);
            borrow = u64(difference >> 64) & 1;
        }
        trim();
        return *this;
    }
    friend Natural operator*(const Natural& a, const Natural& b) {
        Natural product;
        product.limb_.resize(a.limb_.size() + b.limb_.size());
        for (std::size_t i = 0; i < a.limb_.size(); ++i) {
            u64 carry = 0;
            for (std::size_t j = 0; j < b.limb_.size(); ++j) {
                const u128 t = u128(a.limb_[i]) * b.limb_[j] + product.limb_[i + j] + carry;
                product.limb_[i + j] = u64(t);
                carry = u64(t >> 64);
            }
            product.limb_[i + b.limb_.size()] = carry;
        }
        product.trim();
        return product;
    }
    Natural& operator*=(const Natural& o) { return *this = *this * o; }
    friend bool operator<(const Natural& a, const Natural& b) {
        if (a.limb_.size() != b.limb_.size()) return a.limb_.size() < b.limb_.size();
        return std::lexicographical_compare(a.limb_.rbegin(), a.limb_.rend(), b.limb_.rbegin(), b.limb_.rend());
    }

    // The natural logarithm of a positive number, to rounding.
    double log() const {
        const std::size_t k = limb_.size();
        const double next = k > 1 ? double(limb_[k - 2]) * 0x1p-64 : 0;
        return std::log(double(limb_[k - 1]) + next) + double(k - 1) * (64 * 0.6931471805599453094);
    }

    // Uniform on 0 .. bound - 1, without bias, for a positive bound.
    static Natural uniform_below(const Natural& bound, Rng& rng) {
        const u64 mask = ~u64(0) >> std::countl_zero(bound.limb_.back());
        Natural v;
        do {
            v.limb_.resize(bound.limb_.size());
            for (u64& limb : v.limb_) limb = rng();
            v.limb_.back() &= mask;
            v.trim();
        } while (!(v < bound));
        return v;
    }
};

}  // namespace czz
