// Logarithm, exponential, log Γ and powers of two. Written by hand, because they must vectorize and give the same bits
// on every machine.
#pragma once
#include "base/bits.hpp"
#include <cmath>
#include <limits>

namespace czz {

constexpr double kMinusInf = -std::numeric_limits<double>::infinity();
constexpr double kLn2 = 0.6931471805599453094, kLog2e = 1.4426950408889634074;

template <class To, class From>
[[gnu::always_inline]] inline To bits_as(const From& from) {
    if constexpr (std::is_arithmetic_v<From>) return std::bit_cast<To>(from);
    else return (To)from;  // between vectors of one size this is the same
}

// The functions below are written once, for a double (U = u64) and for vectors of them (U = a vector of words).

// 2 artanh(s) = log((1 + s) / (1 - s)) for |s| up to 0.172.
template <class T>
[[gnu::always_inline]] inline T twice_artanh(const T& s) {
    const T z = s * s;
    T p = z * (1 / 19.0) + 1 / 17.0;
    p = p * z + 1 / 15.0;
    p = p * z + 1 / 13.0;
    p = p * z + 1 / 11.0;
    p = p * z + 1 / 9.0;
    p = p * z + 1 / 7.0;
    p = p * z + 1 / 5.0;
    p = p * z + 1 / 3.0;
    return s * 2 + s * 2 * z * p;
}
constexpr double kRoot2 = 1.4142135623730951;

// x = 2^e f for positive normal x, with f from 1 to 2.
template <class T, class U>
[[gnu::always_inline]] inline void split_exponent(const T& x, T& e, T& f) {
    const U b = bits_as<U>(x);
    e = bits_as<T>((b >> 52) | 0x4330000000000000ull) - (0x1p52 + 1023);
    f = bits_as<T>((b & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull);
}

// log x for positive normal x, to about one unit in the last place: x = 2^e f, log f = 2 artanh((f - 1) / (f + 1)).
template <class T, class U>
[[gnu::always_inline]] inline void log_in_place(T& x) {
    T e, f;
    split_exponent<T, U>(x, e, f);
    e = f > kRoot2 ? e + 1 : e;
    f = f > kRoot2 ? f * 0.5 : f;
    x = e * kLn2 + twice_artanh((f - 1) / (f + 1));
}
// x becomes log(x / y), by the same formula, with a single division.
template <class T, class U>
[[gnu::always_inline]] inline void log_ratio_in_place(T& x, const T& y) {
    T e, f, ey, fy;
    split_exponent<T, U>(x, e, f);
    split_exponent<T, U>(y, ey, fy);
    e -= ey;
    const T high = fy * kRoot2, low = f * kRoot2;
    e = f > high ? e + 1 : e;
    e = fy > low ? e - 1 : e;
    const T fx = f > high ? f * 0.5 : f;
    fy = fy > low ? fy * 0.5 : fy;
    x = e * kLn2 + twice_artanh((fx - fy) / (fx + fy));
}

// log Γ(x) for x from 1e-250 to 1e30, to about 1e-15 of 1 + |log Γ(x)|: Stirling's series from 8 on, below it after
// x (x + 1) ... (x + 7) = Γ(x + 8) / Γ(x).
template <class T, class U>
[[gnu::always_inline]] inline void log_gamma_in_place(T& x) {
    const T one = x * 0 + 1;
    T product = x * (x + 1) * (x + 2) * (x + 3) * (x + 4) * (x + 5) * (x + 6) * (x + 7);
    product = x < 8 ? product : one;
    const T w = x < 8 ? x + 8 : x, i = 1 / w, z = i * i;
    T p = z * (-691 / 360360.0) + 1 / 1188.0;
    p = p * z - 1 / 1680.0;
    p = p * z + 1 / 1260.0;
    p = p * z - 1 / 360.0;
    p = p * z + 1 / 12.0;
    T log_w = w;
    log_in_place<T, U>(log_w);
    log_in_place<T, U>(product);
    constexpr double kHalfLogTwoPi = 0.91893853320467274178;
    x = (w - 0.5) * log_w - w + kHalfLogTwoPi + p * i - product;
}

// exp(x) · 2^-shift for any x except NaN and integral shift; 0 below 2^-1000, about 2^1000 above 2^1000.
// The shift moves the exponent only, so results for two shifts differ by an exact power of two.
template <class T, class U>
[[gnu::always_inline]] inline void exp_in_place(T& x, double shift) {
    constexpr double kRound = 0x1.8p52;  // adding it rounds to an integer and leaves that in the low bits
    const T zero{}, far = zero + 1e15, most = zero + 1000;
    x = x > far ? far : x;
    x = x < -far ? -far : x;
    const T k = (x * kLog2e + kRound) - kRound;
    const T r = (x - k * 6.93147180369123816490e-01) - k * 1.90821492927058770002e-10;
    T p = r * (1 / 479001600.0) + 1 / 39916800.0;
    p = p * r + 1 / 3628800.0;
    p = p * r + 1 / 362880.0;
    p = p * r + 1 / 40320.0;
    p = p * r + 1 / 5040.0;
    p = p * r + 1 / 720.0;
    p = p * r + 1 / 120.0;
    p = p * r + 1 / 24.0;
    p = p * r + 1 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1;
    p = p * r + 1;
    const T wanted = k - shift;
    T e = wanted > most ? most : wanted;
    e = e < -most ? -most : e;
    const T y = bits_as<T>(bits_as<U>(p) + (bits_as<U>(e + kRound) << 52));
    x = wanted < -most ? zero : y;
}

inline double fast_log(double x) {
    log_in_place<double, u64>(x);
    return x;
}
inline double log_gamma(double x) {
    log_gamma_in_place<double, u64>(x);
    return x;
}
inline double exp_shifted(double x, double shift) {
    x = std::clamp(x, -1e15, 1e15);  // also for infinite x
    exp_in_place<double, u64>(x, shift);
    return x;
}
inline double fast_exp(double x) { return exp_shifted(x, 0); }

// The binary exponent that exp_shifted splits off: exp(x) = 2^exponent · [0.7, 1.42].
inline double exponent_of_exp(double x) { return std::nearbyint(std::clamp(x, -1e15, 1e15) * kLog2e); }

// 2^e for integral e, 0 below 2^-1022, 2^1023 above.
inline double power_of_two(double e) {
    if (e < -1022) return 0;
    return std::bit_cast<double>(u64(std::min(e, 1023.0) + 1023) << 52);
}

// Whether a number can be the binary exponent of a unit.
inline bool is_exponent(double e) { return std::abs(e) < 1e16 && e == std::nearbyint(e); }

// A sum in twice the precision (Knuth's TwoSum): terms may be added and subtracted many times, and the value is the sum
// of the present terms, up to about 2^-100 of the largest intermediate sum.
struct WideSum {
    double high = 0, low = 0;

    void add(double v) {
        const double t = high + v, b = t - high;
        low += (high - (t - b)) + (v - b);
        high = t;
    }
    double value() const { return high + low; }
    template <class A>
    void state(A& a) {
        a(high, low);
    }
};

}  // namespace czz
