// The inner loops over a row, written once for vectors of any width and compiled for three widths.
#pragma GCC diagnostic ignored "-Wpsabi"  // vectors stay inside this file
#include "base/kernels.hpp"
#include <cstring>

namespace czz {

namespace {

// Vectors of two, four and eight numbers (not all compilers support a width that depends on a template parameter).
struct Two {
    typedef double Doubles __attribute__((vector_size(16)));
    typedef unsigned long long Words __attribute__((vector_size(16)));
    typedef int Ints __attribute__((vector_size(8)));
};
struct Four {
    typedef double Doubles __attribute__((vector_size(32)));
    typedef unsigned long long Words __attribute__((vector_size(32)));
    typedef int Ints __attribute__((vector_size(16)));
};
struct Eight {
    typedef double Doubles __attribute__((vector_size(64)));
    typedef unsigned long long Words __attribute__((vector_size(64)));
    typedef int Ints __attribute__((vector_size(32)));
};
template <class V>
constexpr int kLanes = sizeof(typename V::Doubles) / sizeof(double);

template <class V>
[[gnu::always_inline]] inline typename V::Doubles load(const double* p) {
    typename V::Doubles v;
    std::memcpy(&v, p, sizeof v);
    return v;
}
template <class D>
[[gnu::always_inline]] inline void store(double* p, const D& v) {
    std::memcpy(p, &v, sizeof v);
}

// ---- one number at a time: the width changes no bit

template <class T, class U>
[[gnu::always_inline]] inline void log_balance_in_place(const BalanceFunction& g, T& t) {
    const T zero{};  // not t * 0, which is NaN for infinite t
    if (g.is_sqrt()) {
        t = t * 0.5;
    } else if (g.balance == Balance::kAuto) {
        T e = (t < zero ? t : -t) * 0.5;
        exp_in_place<T, U>(e, 0);
        e = BalanceFunction::even_part(e) + g.sqrt_weight;
        log_in_place<T, U>(e);
        t = t * 0.5 + e;
    } else if (g.balance == Balance::kMetropolis) {
        t = t < zero ? t : zero;
    } else {  // log(t / (1 + t)) = min(log t, 0) - log(1 + exp(-|log t|))
        T e = t < zero ? t : -t;
        exp_in_place<T, U>(e, 0);
        e = e + 1;
        log_in_place<T, U>(e);
        t = (t < zero ? t : zero) - e;
    }
}

template <class V>
[[gnu::always_inline]] inline void rates_in(int count, const BalanceFunction& g, double coldness, double step,
                                            double top, double shift, const double* difference, double* out) {
    using Doubles = typename V::Doubles;
    using Words = typename V::Words;
    // The rates of kAuto need one exponential if they and sqrt(t) are in the range of doubles. A rate that underflows
    // is negligible: the shift is about the exponent of the largest rate that matters.
    if (g.balance == Balance::kAuto && !g.is_sqrt() && std::abs(shift) < 450 && std::abs(top) < 600) {
        const double unit = power_of_two(-shift);
        for (int x = 0; x < count; x += kLanes<V>) {
            Doubles root = (load<V>(difference + x) * coldness + step) * 0.5;  // becomes sqrt(t)
            const Doubles zero{};
            const auto below = root < zero;
            exp_in_place<Doubles, Words>(root, 0);
            const Doubles e = below ? root : 1 / root;
            store(out + x, root * (BalanceFunction::even_part(e) + g.sqrt_weight) * unit);
        }
        return;
    }
    for (int x = 0; x < count; x += kLanes<V>) {
        Doubles t = load<V>(difference + x) * coldness + step;
        log_balance_in_place<Doubles, Words>(g, t);
        exp_in_place<Doubles, Words>(t, shift);
        store(out + x, t);
    }
}

// In two passes: each is a long chain of dependent operations, and out-of-order execution reaches the next columns only
// if the chain of one column is short.
template <class V>
[[gnu::always_inline]] inline void gaussian_row_in(int count, int k, const double* const* row, const double* row_y,
                                                   const double* L, const double* zy, double vy, double h, double base,
                                                   double d, const double* log_scale, double* space,
                                                   double* difference) {
    using Doubles = typename V::Doubles;
    double* const variance = space + 8 * k;
    for (int x = 0; x < count; x += kLanes<V>) {
        Doubles c = load<V>(row_y + x), v = c * 0 + 1;  // covariance with y and variance, given the parents so far
        for (int i = 0; i < k; ++i) {
            const double* l = L + std::size_t(i) * std::size_t(k);
            Doubles z = load<V>(row[i] + x);
            for (int j = 0; j < i; ++j) z -= load<V>(space + kLanes<V> * j) * l[j];
            z *= l[i];
            store(space + kLanes<V> * i, z);
            v -= z * z;
            c -= z * zy[i];
        }
        const Doubles least = v * 0 + kLeastVariance;
        store(difference + x, c);
        store(variance + x, v > least ? v : least);
    }
    for (int x = 0; x < count; x += kLanes<V>) {
        Doubles v = load<V>(variance + x);
        const Doubles c = load<V>(difference + x);
        const Doubles before = v * vy, floor = before * kLeastVariance;  // q = (v vy - c c) / (v vy)
        Doubles q = before - c * c;
        q = q > floor ? q : floor;
        log_ratio_in_place<Doubles, typename V::Words>(q, before);
        q = q * -h + base;
        if (d != 0) {
            log_in_place<Doubles, typename V::Words>(v);
            q -= (v + load<V>(log_scale + x)) * d;
        }
        store(difference + x, q);
    }
}

template <class V>
[[gnu::always_inline]] inline void forward_row_in(int count, int k, int split, const double* const* row,
                                                  const double* L, double* Z, double* v, double* v_all) {
    using Doubles = typename V::Doubles;
    for (int x = 0; x < count; x += kLanes<V>) {
        Doubles left = load<V>(row[0] + x) * 0 + 1;
        const Doubles least = left * kLeastVariance;
        for (int i = 0; i < k; ++i) {
            if (i == split) store(v + x, left > least ? left : least);
            const double* l = L + std::size_t(i) * std::size_t(k);
            Doubles z = load<V>(row[i] + x);
            for (int j = 0; j < i; ++j) z -= load<V>(Z + std::size_t(j) * std::size_t(count) + x) * l[j];
            z *= l[i];
            store(Z + std::size_t(i) * std::size_t(count) + x, z);
            left -= z * z;
        }
        store(v_all + x, left > least ? left : least);
    }
}

template <class V>
[[gnu::always_inline]] inline double largest_in(int count, const double* values) {
    constexpr int kParts = 8 / kLanes<V>;
    typename V::Doubles most[kParts];
    for (int j = 0; j < kParts; ++j) most[j] = load<V>(values + kLanes<V> * j);
    for (int i = 8; i < count; i += 8)
        for (int j = 0; j < kParts; ++j) {
            const typename V::Doubles v = load<V>(values + i + kLanes<V> * j);
            most[j] = v > most[j] ? v : most[j];
        }
    double lanes[8];
    std::memcpy(lanes, most, sizeof lanes);
    return *std::max_element(lanes, lanes + 8);
}

// ---- sums of a function of counts: always eight lanes, so that the order of additions is the same everywhere

template <class V>
[[gnu::always_inline]] inline typename V::Doubles numbers_at(const int* m) {
    typename V::Ints whole;
    std::memcpy(&whole, m, sizeof whole);
    return __builtin_convertvector(whole, typename V::Doubles);
}
template <class V>
[[gnu::always_inline]] inline typename V::Doubles numbers_at(const double* m) {
    return load<V>(m);
}

template <class V, class T, class F>
[[gnu::always_inline]] inline double sum_over(std::size_t count, const T* m, F&& f) {
    constexpr int kParts = 8 / kLanes<V>;
    typename V::Doubles s[kParts] = {};
    for (std::size_t i = 0; i < count; i += 8)
        for (int j = 0; j < kParts; ++j) {
            typename V::Doubles v = numbers_at<V>(m + i + std::size_t(kLanes<V> * j));
            f(v);
            s[j] += v;
        }
    double lanes[8];
    std::memcpy(lanes, s, sizeof lanes);
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

template <class V, class T>
[[gnu::always_inline]] inline double sum_entropy_in(std::size_t count, const T* m) {
    using Doubles = typename V::Doubles;
    return sum_over<V>(count, m, [](Doubles& v) __attribute__((always_inline)) {
        const Doubles one = v * 0 + 1;
        Doubles log = v > one * 0 ? v : one;
        log_in_place<Doubles, typename V::Words>(log);
        v *= log;
    });
}

template <class V, class T>
[[gnu::always_inline]] inline double sum_log_gamma_in(std::size_t count, const T* m, double a) {
    using Doubles = typename V::Doubles;
    double at_a = a;
    log_gamma_in_place<double, u64>(at_a);
    return sum_over<V>(count, m, [a, at_a](Doubles& v) __attribute__((always_inline)) {
        v += a;
        log_gamma_in_place<Doubles, typename V::Words>(v);
        v -= at_a;
    });
}

[[gnu::always_inline]] inline void count_common_in(std::size_t words, int cells, const u64* cell, const u64* x,
                                                   int* out) {
    for (int c = 0; c < cells; ++c, cell += words) {
        u64 sum = 0;
        for (std::size_t w = 0; w < words; ++w) sum += u64(__builtin_popcountll(cell[w] & x[w]));
        out[c] = int(sum);
    }
}

// ---- sums: always sixteen lanes, so that the order of additions is the same everywhere

using Doubles4 = Four::Doubles;
template <class V>
constexpr int kVectors = 16 / kLanes<V>;  // of sixteen lanes

// The elements of a vector whose bit in the mask is set, the others replaced by zero.
template <class V>
[[gnu::always_inline]] inline typename V::Doubles load_masked(const double* p, u64 mask) {
    using Words = typename V::Words;
    Words bit;
    for (int j = 0; j < kLanes<V>; ++j) bit[j] = 1ull << j;
    const typename V::Doubles v = load<V>(p);
    return (typename V::Doubles)((Words)v & (Words)(((Words{} + mask) & bit) != 0));
}
[[gnu::always_inline]] inline double total(const Doubles4& v) { return (v[0] + v[1]) + (v[2] + v[3]); }

template <class V>
[[gnu::always_inline]] inline double masked_sum_in(const double* values, int count, u64 mask) {
    typename V::Doubles s[kVectors<V>] = {};
    for (int i = 0; i < count; i += 16)
        for (int j = 0; j < kVectors<V>; ++j) {
            const int at = i + kLanes<V> * j;
            s[j] += load_masked<V>(values + at, mask >> at);
        }
    Doubles4 lanes[4];
    std::memcpy(lanes, s, sizeof lanes);
    return total((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]));
}

// Knuth's TwoSum: high becomes the rounded sum, low gathers the rounding.
template <class D>
[[gnu::always_inline]] inline void add_wide(D& high, D& low, const D& v) {
    const D t = high + v, b = t - high;
    low += (high - (t - b)) + (v - b);
    high = t;
}
template <class V>
[[gnu::always_inline]] inline WideSum wide_masked_sum_in(const double* values, int count, const u64* mask) {
    if (count == 0) return {};
    typename V::Doubles highs[kVectors<V>], lows[kVectors<V>] = {};
    for (int j = 0; j < kVectors<V>; ++j) highs[j] = load_masked<V>(values + kLanes<V> * j, mask[0] >> kLanes<V> * j);
    for (int i = 16; i < count; i += 16)
        for (int j = 0; j < kVectors<V>; ++j) {
            const int at = i + kLanes<V> * j;
            add_wide(highs[j], lows[j], load_masked<V>(values + at, mask[at / 64] >> at % 64));
        }
    Doubles4 high[4], low[4];
    std::memcpy(high, highs, sizeof high);
    std::memcpy(low, lows, sizeof low);
    for (int j = 0; j < 2; ++j) add_wide(high[j], low[j], high[j + 2]);
    add_wide(high[0], low[0], high[1]);
    WideSum left{high[0][0], 0}, right{high[0][1], 0};
    left.add(high[0][2]);
    right.add(high[0][3]);
    left.add(right.high);
    left.low += right.low + total((low[0] + low[1]) + (low[2] + low[3]));
    return left;
}

template <class D, class U>
[[gnu::always_inline]] inline void log_add_in_place(const D& a, D& b) {
    const D high = a > b ? a : b;
    D e = (a > b ? b : a) - high;
    exp_in_place<D, U>(e, 0);
    e = e + 1;
    log_in_place<D, U>(e);
    b = high + e;
}

template <class V>
[[gnu::always_inline]] inline void log_add_in(int count, const double* a, double* b) {
    int i = 0;
    for (; i + kLanes<V> <= count; i += kLanes<V>) {
        const typename V::Doubles x = load<V>(a + i);
        typename V::Doubles y = load<V>(b + i);
        log_add_in_place<typename V::Doubles, typename V::Words>(x, y);
        store(b + i, y);
    }
    for (; i < count; ++i) log_add_in_place<double, u64>(a[i], b[i]);
}

// ---- one set of functions per instruction set

struct Kernels {
    decltype(&czz::rates) rates;
    decltype(&czz::gaussian_row) gaussian_row;
    decltype(&czz::masked_sum) masked_sum;
    decltype(&czz::wide_masked_sum) wide_masked_sum;
    decltype(&czz::largest) largest;
    decltype(&czz::forward_row) forward_row;
    double (*sum_entropy)(std::size_t, const int*);
    double (*sum_log_gamma)(std::size_t, const int*, double);
    double (*weighted_entropy)(std::size_t, const double*);
    double (*weighted_log_gamma)(std::size_t, const double*, double);
    decltype(&czz::count_common) count_common;
    decltype(&czz::log_add) log_add;
};

#define CZZ_KERNELS(NAME, WIDTH, TARGET)                                                                               \
    struct NAME {                                                                                                      \
        TARGET static void rates(int n, const BalanceFunction& b, double c, double s, double t, double e,              \
                                 const double* d, double* out) {                                                       \
            rates_in<WIDTH>(n, b, c, s, t, e, d, out);                                                                 \
        }                                                                                                              \
        TARGET static void gaussian_row(int n, int k, const double* const* r, const double* y, const double* L,        \
                                        const double* z, double v, double h, double b, double d, const double* l,      \
                                        double* s, double* out) {                                                      \
            gaussian_row_in<WIDTH>(n, k, r, y, L, z, v, h, b, d, l, s, out);                                           \
        }                                                                                                              \
        TARGET static double masked_sum(const double* v, int n, u64 m) { return masked_sum_in<WIDTH>(v, n, m); }       \
        TARGET static WideSum wide_masked_sum(const double* v, int n, const u64* m) {                                  \
            return wide_masked_sum_in<WIDTH>(v, n, m);                                                                 \
        }                                                                                                              \
        TARGET static double largest(int n, const double* v) { return largest_in<WIDTH>(n, v); }                       \
        TARGET static void forward_row(int n, int k, int s, const double* const* r, const double* L, double* Z,        \
                                       double* v, double* all) {                                                       \
            forward_row_in<WIDTH>(n, k, s, r, L, Z, v, all);                                                           \
        }                                                                                                              \
        TARGET static double sum_entropy(std::size_t n, const int* m) { return sum_entropy_in<WIDTH>(n, m); }          \
        TARGET static double sum_log_gamma(std::size_t n, const int* m, double a) {                                    \
            return sum_log_gamma_in<WIDTH>(n, m, a);                                                                   \
        }                                                                                                              \
        TARGET static double weighted_entropy(std::size_t n, const double* m) { return sum_entropy_in<WIDTH>(n, m); }  \
        TARGET static double weighted_log_gamma(std::size_t n, const double* m, double a) {                            \
            return sum_log_gamma_in<WIDTH>(n, m, a);                                                                   \
        }                                                                                                              \
        TARGET static void count_common(std::size_t w, int n, const u64* c, const u64* x, int* out) {                  \
            count_common_in(w, n, c, x, out);                                                                          \
        }                                                                                                              \
        TARGET static void log_add(int n, const double* a, double* b) { log_add_in<WIDTH>(n, a, b); }                  \
        static constexpr Kernels kAll = {                                                                              \
            rates,       gaussian_row,  masked_sum,       wide_masked_sum,    largest,      forward_row,               \
            sum_entropy, sum_log_gamma, weighted_entropy, weighted_log_gamma, count_common, log_add};                  \
    }

CZZ_KERNELS(Baseline, Two, );
// g++ for Windows does not align the stack for wide vectors (its bug 54412); clang does.
#if defined(__x86_64__) && (defined(__clang__) || !defined(_WIN32))
#define CZZ_WIDE_KERNELS
CZZ_KERNELS(Avx2, Four, __attribute__((target("avx2"))));
CZZ_KERNELS(Avx512, Eight, __attribute__((target("avx512f,avx512dq,avx512vl"))));
__attribute__((target("avx512f,avx512vpopcntdq"))) void count_common_by_eight(std::size_t words, int cells,
                                                                              const u64* cell, const u64* x, int* out) {
    count_common_in(words, cells, cell, x, out);
}
#endif

Kernels choose() {
#if defined(CZZ_WIDE_KERNELS)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
        Kernels chosen = Avx512::kAll;
        if (__builtin_cpu_supports("avx512vpopcntdq")) chosen.count_common = count_common_by_eight;
        return chosen;
    }
    if (__builtin_cpu_supports("avx2")) return Avx2::kAll;
#endif
    return Baseline::kAll;
}

const Kernels kernels = choose();

}  // namespace

double log_balance(const BalanceFunction& g, double t) {
    if (std::isinf(t)) return t > 0 && (g.balance == Balance::kMetropolis || g.balance == Balance::kBarker) ? 0 : t;
    log_balance_in_place<double, u64>(g, t);
    return t;
}

void rates(int count, const BalanceFunction& g, double coldness, double step, double top, double shift,
           const double* difference, double* out) {
    kernels.rates(count, g, coldness, step, top, shift, difference, out);
}
double masked_sum(const double* values, int count, u64 mask) { return kernels.masked_sum(values, count, mask); }
WideSum wide_masked_sum(const double* values, int count, const u64* mask) {
    return kernels.wide_masked_sum(values, count, mask);
}
double largest(int count, const double* values) { return kernels.largest(count, values); }
void gaussian_row(int count, int k, const double* const* row, const double* row_y, const double* L, const double* zy,
                  double vy, double h, double base, double d, const double* log_scale, double* space,
                  double* difference) {
    kernels.gaussian_row(count, k, row, row_y, L, zy, vy, h, base, d, log_scale, space, difference);
}
void forward_row(int count, int k, int split, const double* const* row, const double* L, double* Z, double* v,
                 double* v_all) {
    kernels.forward_row(count, k, split, row, L, Z, v, v_all);
}
void log_add(int count, const double* a, double* b) { kernels.log_add(count, a, b); }
double sum_entropy(std::size_t count, const int* m) { return kernels.sum_entropy(count, m); }
double sum_log_gamma(std::size_t count, const int* m, double a) { return kernels.sum_log_gamma(count, m, a); }
double sum_entropy(std::size_t count, const double* m) { return kernels.weighted_entropy(count, m); }
double sum_log_gamma(std::size_t count, const double* m, double a) { return kernels.weighted_log_gamma(count, m, a); }
void count_common(std::size_t words, int cells, const u64* cell, const u64* x, int* out) {
    kernels.count_common(words, cells, cell, x, out);
}

}  // namespace czz
