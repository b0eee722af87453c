// Normal and gamma random numbers, by methods that give the same bits on every machine.
#pragma once
#include "base/math.hpp"
#include "base/rng.hpp"

namespace czz {

// Standard normal numbers by the polar method (Marsaglia & Bray 1964), which makes two at a time.
inline void fill_normal(Rng& rng, std::size_t count, double* out) {
    for (std::size_t i = 0; i < count; i += 2) {
        double a, b, square;
        do {
            a = 2 * rng.uniform() - 1;
            b = 2 * rng.uniform() - 1;
            square = a * a + b * b;
        } while (square >= 1 || square < 0x1p-1000);
        const double factor = std::sqrt(-2 * fast_log(square) / square);
        out[i] = a * factor;
        if (i + 1 < count) out[i + 1] = b * factor;
    }
}
inline double draw_normal(Rng& rng) {
    double out;
    fill_normal(rng, 1, &out);
    return out;
}

// A gamma number with a shape of at least 1 (Marsaglia & Tsang 2000).
inline double draw_gamma(Rng& rng, double shape) {
    const double d = shape - 1 / 3.0, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = draw_normal(rng), t = 1 + c * x;
        if (t <= 0) continue;
        const double v = t * t * t, u = rng.uniform();
        if (u == 0 || fast_log(u) < x * x / 2 + d - d * v + d * fast_log(v)) return d * v;
    }
}

}  // namespace czz
