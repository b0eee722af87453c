// The inner loops of the block and the discrete scores, compiled once a vector width; all give the same bits.
#include "kernels.hpp"

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
