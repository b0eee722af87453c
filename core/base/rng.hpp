// The random numbers of one chain: xoshiro256++ (Blackman & Vigna 2021), seeded by four words from the caller. Written
// by hand, because the stream must be the same on every machine and is part of saved states.
#pragma once
#include "base/bits.hpp"

namespace czz {

struct Rng {
    std::array<u64, 4> s{};

    template <class A>
    void state(A& a) {
        a(s);
    }
    u64 operator()() {
        const u64 r = std::rotl(s[0] + s[3], 23) + s[0], t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = std::rotl(s[3], 45);
        return r;
    }
    double uniform() { return double((*this)() >> 11) * 0x1p-53; }  // [0, 1)
    int below(int k) { return int(uniform() * k); }                 // bias below k / 2^53
    template <int W>
    Bits<W> subset(Bits<W> of) {  // uniform
        for (int i = 0; i < of.words(); ++i)
            if (of.word(i)) of.at(i) &= (*this)();
        return of;
    }
};

}  // namespace czz
