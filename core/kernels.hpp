// The inner loops over a row, built for several vector widths and chosen at run time; all give the same bits.
#pragma once
#include "bits.hpp"

namespace czz {

enum class Balance { kSqrt, kMetropolis, kBarker };

// log g(exp(t)) for t = coldness · difference + prior step.
double log_balance(Balance balance, double t);
void log_rates(int count, Balance balance, double coldness, double step, const double* difference, double* out);

// exp(log rate) · 2^-shift.
void rates(int count, double shift, const double* log_rate, double* out);

// For every word i: the sum of values[64 i + j] over the bits j of mask[i], always in the same order of additions.
double masked_sum(const double* values, u64 mask);

// Score differences of adding x to the parents of y, for `count` columns x (at most kTile, a multiple of 8).
// row[i]: correlations of the i-th parent with the columns; L: its Cholesky factor (row-major, k by k, the diagonal
// inverted); zy: the solution of L z = correlations with y; vy: the residual variance of y. Z: k · kTile of space.
constexpr int kTile = 64;
void gaussian_tile(int count, int k, const double* const* row, const double* row_y, const double* L, const double* zy,
                   double vy, double half_n, double penalty, double* Z, double* difference);

}  // namespace czz
