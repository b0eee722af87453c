// Sets of nodes: 64 nodes per word, W words fixed at compile time, or as many as needed if W is 0.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace czz {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

// The number of bits set. The x86-64 baseline has no instruction for it, and this is faster than a call to the
// compiler's library.
inline int popcount(u64 x) {
#if defined(__x86_64__) && !defined(__POPCNT__)
    x -= x >> 1 & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
    return int(x * 0x0101010101010101ull >> 56);
#else
    return std::popcount(x);
#endif
}

// Calls f for every bit of a word, numbered from `first`.
template <class F>
[[gnu::always_inline]] inline void each_bit(u64 word, int first, F&& f) {
    for (; word; word &= word - 1) f(first + std::countr_zero(word));
}

// A set whose width is fixed has exactly W words and everything unrolls. A set of dynamic width grows when a node is
// set; the words it does not have are zero.
template <int W>
class Bits {
    static constexpr bool fixed = W > 0;
    using Store = std::conditional_t<fixed, std::array<u64, std::size_t(fixed ? W : 1)>, std::vector<u64>>;
    Store w_{};

    void reach(int words) {
        if constexpr (!fixed) {
            if (int(w_.size()) < words) w_.resize(std::size_t(words));
        }
    }
    // Wide sets have few members: groups of words without any are skipped at once.
    static constexpr int kGroup = 8;
    bool skips(int i) const {
        if constexpr (W <= kGroup) return false;
        if (i % kGroup || i + kGroup > words()) return false;
        u64 a = 0;
        for (int j = 0; j < kGroup; ++j) a |= w_[std::size_t(i + j)];
        return a == 0;
    }
    static int shorter(const Bits& a, const Bits& b) {
        if constexpr (fixed) return W;
        return int(std::min(a.w_.size(), b.w_.size()));
    }

  public:
    static Bits one(int i) {
        Bits b;
        b.set(i);
        return b;
    }
    static Bits first_n(int n) {
        Bits b;
        b.reach((n + 63) >> 6);
        for (int i = 0; i < n >> 6; ++i) b.at(i) = ~u64(0);
        if (n & 63) b.at(n >> 6) = (u64(1) << (n & 63)) - 1;
        return b;
    }

    int words() const {
        if constexpr (fixed) return W;
        return int(w_.size());
    }
    u64 word(int i) const {
        if constexpr (!fixed) {
            if (i >= words()) return 0;
        }
        return w_[std::size_t(i)];
    }
    const u64* data() const { return w_.data(); }
    u64& at(int i) {
        reach(i + 1);
        return w_[std::size_t(i)];
    }

    bool test(int i) const { return word(i >> 6) >> (i & 63) & 1; }
    void set(int i) { at(i >> 6) |= u64(1) << (i & 63); }
    void reset(int i) { at(i >> 6) &= ~(u64(1) << (i & 63)); }
    void flip(int i) { at(i >> 6) ^= u64(1) << (i & 63); }
    void clear() {
        for (u64& v : w_) v = 0;
    }

    bool any() const {
        u64 a = 0;
        for (u64 v : w_) a |= v;
        return a != 0;
    }
    int count() const {
        int c = 0;
        for (u64 v : w_) c += popcount(v);
        return c;
    }
    int first() const {  // -1 when empty
        for (int i = 0; i < words(); ++i) {
            while (skips(i)) i += kGroup;
            if (i < words() && word(i)) return 64 * i + std::countr_zero(word(i));
        }
        return -1;
    }
    int last() const { return last_below(64 * words()); }  // -1 when empty
    // The last member below a bound, or -1.
    int last_below(int bound) const {
        for (int i = (bound - 1) >> 6; i >= 0; --i) {
            const int above = 64 * (i + 1) - bound;  // bits of this word that are not below
            const u64 some = above > 0 ? word(i) << above >> above : word(i);
            if (some) return 64 * i + 63 - std::countl_zero(some);
        }
        return -1;
    }
    int rank(int i) const {  // the number of members below i
        int c = popcount(word(i >> 6) & ((u64(1) << (i & 63)) - 1));
        for (int k = 0; k < i >> 6; ++k) c += popcount(word(k));
        return c;
    }
    int nth(int k) const {  // the k-th member, from 0
        for (int i = 0; i < words(); ++i) {
            const int c = popcount(word(i));
            if (k < c) {
                u64 m = word(i);
                while (k-- > 0) m &= m - 1;
                return 64 * i + std::countr_zero(m);
            }
            k -= c;
        }
        return -1;
    }
    template <class F>
    void each(F&& f) const {
        for (int i = 0; i < words(); ++i) {
            while (skips(i)) i += kGroup;
            if (i < words()) each_bit(word(i), 64 * i, f);
        }
    }
    std::vector<int> list() const {
        std::vector<int> v;
        each([&](int i) { v.push_back(i); });
        return v;
    }

    Bits& operator|=(const Bits& o) {
        reach(o.words());
        for (int i = 0; i < o.words(); ++i) w_[std::size_t(i)] |= o.w_[std::size_t(i)];
        return *this;
    }
    Bits& operator&=(const Bits& o) {
        for (int i = 0; i < words(); ++i) w_[std::size_t(i)] &= o.word(i);
        return *this;
    }
    Bits& operator^=(const Bits& o) {
        reach(o.words());
        for (int i = 0; i < o.words(); ++i) w_[std::size_t(i)] ^= o.w_[std::size_t(i)];
        return *this;
    }
    Bits& operator-=(const Bits& o) {
        for (int i = 0; i < shorter(*this, o); ++i) w_[std::size_t(i)] &= ~o.w_[std::size_t(i)];
        return *this;
    }
    friend Bits operator|(Bits a, const Bits& b) { return a |= b; }
    friend Bits operator&(Bits a, const Bits& b) { return a &= b; }
    friend Bits operator^(Bits a, const Bits& b) { return a ^= b; }
    friend Bits operator-(Bits a, const Bits& b) { return a -= b; }
    friend bool operator==(const Bits& a, const Bits& b) {
        u64 d = 0;
        for (int i = 0; i < std::max(a.words(), b.words()); ++i) d |= a.word(i) ^ b.word(i);
        return d == 0;
    }
    friend bool meets(const Bits& a, const Bits& b) {
        u64 d = 0;
        for (int i = 0; i < shorter(a, b); ++i) d |= a.w_[std::size_t(i)] & b.w_[std::size_t(i)];
        return d != 0;
    }
    friend bool subset(const Bits& a, const Bits& b) {
        u64 d = 0;
        for (int i = 0; i < a.words(); ++i) d |= a.w_[std::size_t(i)] & ~b.word(i);
        return d == 0;
    }

    // Becomes the next subset of `of` in counting order; after the last comes the empty set.
    void next_subset(const Bits& of) {
        u64 carry = 1;  // (s | ~of) + 1, word by word, masked
        for (int i = 0; i < of.words(); ++i) {
            const u64 m = of.word(i), t = (word(i) | ~m) + carry;
            carry = carry && t == 0;
            at(i) = t & m;
        }
    }
    u64 hash(u64 h) const {  // does not depend on the width
        for (int i = 0; i < words(); ++i) {
            if (!fixed && !word(i)) continue;
            h = (h ^ (word(i) + u64(i))) * 0x9E3779B97F4A7C15ull;
            h ^= h >> 29;
        }
        return h;
    }
};

}  // namespace czz
