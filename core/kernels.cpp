// The inner loops over a row, compiled once a vector width.
#include "kernels.hpp"
#include "math.hpp"

// Function multi-versioning needs ifunc support of the platform: x86-64 ELF. Elsewhere the compiler's baseline serves.
#if defined(__x86_64__) && defined(__ELF__) && defined(__has_attribute) && !defined(__SANITIZE_ADDRESS__)
#if __has_attribute(target_clones)
#define CZZ_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#define CZZ_COUNTS __attribute__((target_clones("arch=icelake-server", "popcnt", "default")))
#endif
#endif
#ifndef CZZ_VECTORS
#define CZZ_VECTORS
#define CZZ_COUNTS
#endif

namespace czz {

double log_balance(Balance balance, double t) {
    double out;
    log_rates(1, balance, 1, 0, &t, &out);
    return out;
}

CZZ_VECTORS void log_rates(int count, Balance balance, double coldness, double step, const double* difference,
                           double* out) {
    switch (balance) {
    case Balance::kSqrt:
        for (int x = 0; x < count; ++x) out[x] = 0.5 * (coldness * difference[x] + step);
        return;
    case Balance::kMetropolis:
        for (int x = 0; x < count; ++x) {
            const double t = coldness * difference[x] + step;
            out[x] = t < 0 ? t : 0;
        }
        return;
    case Balance::kBarker:  // log(t / (1 + t)) = min(log t, 0) - log(1 + exp(-|log t|))
        for (int x = 0; x < count; ++x) {
            const double t = coldness * difference[x] + step, a = t < 0 ? t : -t;
            out[x] = (t < 0 ? t : 0) - fast_log(1 + exp_shifted(a, 0));
        }
        return;
    }
}

CZZ_VECTORS void rates(int count, double shift, const double* log_rate, double* out) {
    for (int x = 0; x < count; ++x) out[x] = exp_shifted(log_rate[x], shift);
}

CZZ_VECTORS double masked_sum(const double* values, u64 mask) {
    static constexpr auto kLanes = [] {
        std::array<std::array<u64, 4>, 16> t{};
        for (u64 i = 0; i < 16; ++i)
            for (u64 j = 0; j < 4; ++j) t[i][j] = i >> j & 1 ? ~u64(0) : 0;
        return t;
    }();
    double s[4] = {};
    for (int i = 0; i < 16; ++i)
        for (int j = 0; j < 4; ++j)
            s[j] += std::bit_cast<double>(std::bit_cast<u64>(values[4 * i + j]) & kLanes[mask >> 4 * i & 15][j]);
    return (s[0] + s[1]) + (s[2] + s[3]);
}

CZZ_VECTORS void gaussian_tile(int count, int k, const double* const* row, const double* row_y, const double* L,
                               const double* zy, double vy, double h, double base, double d, const double* log_scale,
                               double* Z, double* difference) {
    double c[kTile], v[kTile];  // covariance with y and variance, given the parents so far
    for (int x = 0; x < count; ++x) {
        c[x] = row_y[x];
        v[x] = 1;
    }
    for (int i = 0; i < k; ++i) {
        double* __restrict z = Z + std::size_t(i) * kTile;
        for (int x = 0; x < count; ++x) z[x] = row[i][x];
        for (int j = 0; j < i; ++j) {
            const double f = L[std::size_t(i) * k + j];
            const double* __restrict zj = Z + std::size_t(j) * kTile;
            for (int x = 0; x < count; ++x) z[x] -= f * zj[x];
        }
        const double f = L[std::size_t(i) * k + i], g = zy[i];
        for (int x = 0; x < count; ++x) {
            z[x] *= f;
            v[x] -= z[x] * z[x];
            c[x] -= z[x] * g;
        }
    }
    const double inverse = 1 / vy;
    for (int x = 0; x < count; ++x) {
        v[x] = v[x] > kLeastVariance ? v[x] : kLeastVariance;
        const double q = 1 - c[x] * c[x] * inverse / v[x];
        difference[x] = base - h * fast_log(q > kLeastVariance ? q : kLeastVariance);
    }
    if (d == 0) return;
    for (int x = 0; x < count; ++x) difference[x] -= d * (fast_log(v[x]) + log_scale[x]);
}

CZZ_VECTORS void forward_tile(int count, int k, int split, const double* const* row, const double* L, double* Z,
                              std::size_t stride, double* v, double* v_all) {
    double left[kTile];
    for (int x = 0; x < count; ++x) left[x] = 1;
    for (int i = 0; i <= k; ++i) {
        double* target = i == split ? v : i == k ? v_all : nullptr;
        if (target)
            for (int x = 0; x < count; ++x) target[x] = left[x] > kLeastVariance ? left[x] : kLeastVariance;
        if (i == k) return;
        double z[kTile];
        for (int x = 0; x < count; ++x) z[x] = row[i][x];
        for (int j = 0; j < i; ++j) {
            const double f = L[std::size_t(i) * k + j];
            const double* zj = Z + std::size_t(j) * stride;
            for (int x = 0; x < count; ++x) z[x] -= f * zj[x];
        }
        const double f = L[std::size_t(i) * k + i];
        double* out = Z + std::size_t(i) * stride;
        for (int x = 0; x < count; ++x) {
            z[x] *= f;
            out[x] = z[x];
            left[x] -= z[x] * z[x];
        }
    }
}

CZZ_COUNTS void count_common(std::size_t words, int cells, const u64* cell, const u64* x, int* out) {
    for (int c = 0; c < cells; ++c, cell += words) {
        u64 sum = 0;
        for (std::size_t w = 0; w < words; ++w) sum += u64(__builtin_popcountll(cell[w] & x[w]));
        out[c] = int(sum);
    }
}

// Sums run in eight lanes, whatever the width of the vectors, so that they round alike.
CZZ_VECTORS double sum_entropy(std::size_t count, const int* m) {
    double s[8] = {};
    for (std::size_t i = 0; i < count; i += 8)
        for (int j = 0; j < 8; ++j) {
            const double v = m[i + j];
            s[j] += v * fast_log(v > 1 ? v : 1);
        }
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

CZZ_VECTORS double sum_log_gamma(std::size_t count, const int* m, double a) {
    const double at_a = log_gamma(a);
    double s[8] = {};
    for (std::size_t i = 0; i < count; i += 8)
        for (int j = 0; j < 8; ++j) s[j] += log_gamma(a + m[i + j]) - at_a;
    return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

}  // namespace czz
