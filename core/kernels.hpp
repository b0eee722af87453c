// The inner loops over a row, built for several vector widths and chosen at run time; all give the same bits.
// Rows are padded: every count of columns is a multiple of 8.
#pragma once
#include "math.hpp"

namespace czz {

enum class Balance { kSqrt, kMetropolis, kBarker };

// log g(exp(t)) for t = coldness · difference + prior step.
double log_balance(Balance balance, double t);
void log_rates(int count, Balance balance, double coldness, double step, const double* difference, double* out);

// exp(log rate) · 2^-shift.
void rates(int count, double shift, const double* log_rate, double* out);

// The sum of values[j] over the bits j < count of the mask, in double (count a multiple of 16) and in twice that
// precision.
double masked_sum(const double* values, int count, u64 mask);
WideSum wide_masked_sum(const double* values, int count, u64 mask);

// Score differences of adding x to the parents of y, for `count` columns x. row[i]: correlations of the i-th parent
// with the columns; L: its Cholesky factor (row-major, k by k, the diagonal inverted); zy: the solution of L z =
// correlations with y; vy: the residual variance of y. space: 8 k numbers.
void gaussian_row(int count, int k, const double* const* row, const double* row_y, const double* L, const double* zy,
                  double vy, double half_n, double penalty, double* space, double* difference);

}  // namespace czz
