// The Cholesky factor of a small symmetric positive definite matrix.
#pragma once
#include "ancestral/mag.hpp"
#include "base/math.hpp"

namespace czz {

// Only the lower triangle of `a` is used; factor() replaces it. The reciprocals of the pivots are kept, as divisions
// would take most of the time of small systems.
struct SmallCholesky {
    static constexpr int kMost = kMostMagNodes;
    double a[kMost][kMost];
    double reciprocal[kMost];

    bool factor(int size) {  // false if the matrix is not positive definite
        for (int j = 0; j < size; ++j) {
            double pivot = a[j][j];
            for (int t = 0; t < j; ++t) pivot -= a[j][t] * a[j][t];
            if (!(pivot > 0)) return false;
            a[j][j] = std::sqrt(pivot);
            reciprocal[j] = 1 / a[j][j];
            for (int i = j + 1; i < size; ++i) {
                double rest = a[i][j];
                for (int t = 0; t < j; ++t) rest -= a[i][t] * a[j][t];
                a[i][j] = rest * reciprocal[j];
            }
        }
        return true;
    }
    void solve(int size, double* b) const {
        for (int i = 0; i < size; ++i) {
            for (int t = 0; t < i; ++t) b[i] -= a[i][t] * b[t];
            b[i] *= reciprocal[i];
        }
        for (int i = size - 1; i >= 0; --i) {
            for (int t = i + 1; t < size; ++t) b[i] -= a[t][i] * b[t];
            b[i] *= reciprocal[i];
        }
    }
    double log_determinant(int size) const {
        double sum = 0;
        for (int i = 0; i < size; ++i) sum += fast_log(a[i][i]);
        return 2 * sum;
    }
};

}  // namespace czz
