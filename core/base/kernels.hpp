// The inner loops over a row, compiled for several vector widths and selected at run time; all give the same bits.
// Rows are padded: every count of columns is a multiple of 8.
#pragma once
#include "base/math.hpp"

namespace czz {

enum class Balance { kSqrt, kMetropolis, kBarker, kAuto };

// The function g that turns a ratio of weights into a rate. A sum of balancing functions with positive weights is one,
// as g(t) = t g(1/t) is linear in g, and so is g(t) w(t) if w(t) = w(1/t). kAuto is min(1, t) w(t) + c sqrt(t) with c =
// sqrt_weight, and sqrt(t) for infinite c. w is 1 for ratios between 1 / kEven and kEven and falls as 1 / t beyond:
// the many edges of low probability in large graphs come and go less often, and jumps go to pairs that are open.
struct BalanceFunction {
    static constexpr double kEven = 54.598150033144236;  // exp(4)

    // The term min(1, t) w(t) of kAuto divided by sqrt(t), from e = exp(-|log t| / 2).
    template <class T>
    [[gnu::always_inline]] static T even_part(const T& e) {
        const T tail = e * e * kEven, one = e * 0 + 1;
        return e * (tail < one ? tail : one);
    }

    Balance balance = Balance::kSqrt;
    double sqrt_weight = std::numeric_limits<double>::infinity();  // of kAuto

    bool is_sqrt() const { return balance == Balance::kSqrt || (balance == Balance::kAuto && std::isinf(sqrt_weight)); }
};

// log g(exp(t)).
double log_balance(const BalanceFunction& g, double t);

// g(exp(t)) · 2^-shift for t = coldness · difference + step, of which `top` is the largest.
void rates(int count, const BalanceFunction& g, double coldness, double step, double top, double shift,
           const double* difference, double* out);

// The sum of values[j] over the bits j < count of the mask: of one word in double precision, of many words in twice
// that precision. The count is a multiple of 16.
double masked_sum(const double* values, int count, u64 mask);
WideSum wide_masked_sum(const double* values, int count, const u64* mask);

// b[i] = log(exp(a[i]) + exp(b[i])) for finite a and b.
void log_add(int count, const double* a, double* b);

// The largest of the values.
double largest(int count, const double* values);

// A residual variance below this fraction of a column's variance is rounding noise: the others determine the column.
constexpr double kLeastVariance = 1e-14;

// Score differences of adding x to the parents of y, for `count` columns x:
// base − h log(v_y given x too / v_y) − d (log v_x + log_scale_x), all given the parents.
// row[i]: correlations of the i-th parent with the columns; L: its Cholesky factor (row-major, k by k, the diagonal
// inverted); zy: the solution of L z = correlations with y; vy: the residual variance of y. space: 8 k + count numbers.
void gaussian_row(int count, int k, const double* const* row, const double* row_y, const double* L, const double* zy,
                  double vy, double h, double base, double d, const double* log_scale, double* space,
                  double* difference);

// Z = L⁻¹ row for `count` columns, rows of Z `count` apart; v: the variances of the columns given the first `split`
// rows; v_all: given all k rows.
void forward_row(int count, int k, int split, const double* const* row, const double* L, double* Z, double* v,
                 double* v_all);

// Σ m log m and Σ (log Γ(a + m) − log Γ(a)) over `count` numbers m of at least 0, a multiple of 8.
double sum_entropy(std::size_t count, const int* m);
double sum_log_gamma(std::size_t count, const int* m, double a);
double sum_entropy(std::size_t count, const double* m);
double sum_log_gamma(std::size_t count, const double* m, double a);

// out[c] = the number of bits that cell c and x have in common; both have `words` words.
void count_common(std::size_t words, int cells, const u64* cell, const u64* x, int* out);

}  // namespace czz
