// The finaliser of splitmix64: one word to a well mixed one.
#pragma once
#include "base/bits.hpp"

namespace czz {

inline u64 mix64(u64 z) {
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
}

}  // namespace czz
