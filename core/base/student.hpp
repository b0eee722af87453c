// Student's t distribution, and quantiles of mixtures of such distributions with a point mass at 0.
#pragma once
#include "base/bits.hpp"
#include <cmath>
#include <limits>

namespace czz {

// The continued fraction of the regularized incomplete beta function I_x(a, b), by the method of Lentz; it converges
// quickly for x < (a + 1) / (a + b + 2).
inline double beta_fraction(double a, double b, double x) {
    constexpr double tiny = 1e-300;
    constexpr int most = 10000;
    auto away = [](double v) { return std::abs(v) < tiny ? tiny : v; };
    double c = 1, d = 1 / away(1 - (a + b) * x / (a + 1)), h = d;
    for (int m = 1; m < most; ++m) {
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / away(1 + even * d);
        c = away(1 + even / c);
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / away(1 + odd * d);
        c = away(1 + odd / c);
        h *= d * c;
        if (std::abs(d * c - 1) < 1e-15) break;
    }
    return h;
}

// P(T <= t) for Student's t with `freedom` degrees of freedom.
class StudentCdf {
    // From here on, the error of the expansion of Hill (Algorithm 395, CACM 1970) is below 2e-14; it is several times
    // faster than the fraction.
    static constexpr double kLarge = 60;
    double freedom_, log_beta_;

  public:
    explicit StudentCdf(double freedom)
        : freedom_(freedom),
          log_beta_(freedom < kLarge ? std::lgamma(freedom / 2) + std::lgamma(0.5) - std::lgamma(freedom / 2 + 0.5)
                                     : 0) {}

    double operator()(double t) const {
        if (freedom_ >= kLarge) {
            const double a = freedom_ - 0.5, b = 48 * a * a, z2 = a * std::log1p(t * t / freedom_);
            const double z = std::copysign(std::sqrt(z2), t);
            const double series = ((-0.4 * z2 - 3.3) * z2 - 24) * z2 - 85.5;
            return std::erfc(-z * ((series / (0.8 * z2 * z2 + 100 + b) + z2 + 3) / b + 1) * 0.70710678118654752440) / 2;
        }
        const double square = t * t, x = freedom_ / (freedom_ + square), y = square / (freedom_ + square);
        if (y == 0) return 0.5;
        const double a = freedom_ / 2;
        const double front = std::exp(-a * std::log1p(square / freedom_) + 0.5 * std::log(y) - log_beta_);
        // P(|T| > |t|) = I_x(a, 1/2)
        const double outside =
            x < (a + 1) / (a + 2.5) ? front * beta_fraction(a, 0.5, x) / a : 1 - front * beta_fraction(0.5, a, y) / 0.5;
        return t > 0 ? 1 - outside / 2 : outside / 2;
    }
};

// A mixture of shifted and scaled t distributions; weights that do not add up to 1 leave a point mass at 0.
class StudentMixture {
  public:
    // Components with the same degrees of freedom share the constants of the distribution.
    void clear() { parts_.clear(); }
    void add(double weight, double mean, double scale, const StudentCdf& cdf) {
        parts_.push_back({weight, mean, scale, &cdf});
    }
    // The weight of the components at or below v, without the point mass.
    double below(double v) const {
        double sum = 0;
        for (const Part& p : parts_) sum += p.weight * (*p.cdf)((v - p.mean) / p.scale);
        return sum;
    }
    // The smallest v with P(V <= v) >= p; `rest` is the point mass at 0.
    double quantile(double p, double rest) const {
        const double at_zero = below(0);
        if (at_zero < p && at_zero + rest >= p) return 0;
        const bool negative = at_zero >= p;
        if (parts_.empty()) return 0;
        const double wanted = negative ? p : p - rest;
        // bracket, away from 0
        double reach = 0, finest = std::numeric_limits<double>::infinity();
        for (const Part& part : parts_) {
            reach = std::max(reach, std::abs(part.mean) + part.scale);
            finest = std::min(finest, part.scale);
        }
        double near = 0, near_value = at_zero, far = negative ? -reach : reach, far_value = below(far);
        for (int i = 0; i < 1100 && (negative ? far_value >= wanted : far_value < wanted); ++i) {
            near = far;
            near_value = far_value;
            far *= 2;
            far_value = below(far);
        }
        if (!std::isfinite(far)) return far;
        return root(wanted, near, near_value - wanted, far, far_value - wanted, kPrecision * finest);
    }

  private:
    struct Part {
        double weight, mean, scale;
        const StudentCdf* cdf;
    };
    static constexpr double kPrecision = 1e-10;  // of quantiles, relative to the smallest scale
    std::vector<Part> parts_;

    // The point between a and b at which the weight below passes through the wanted one, given the differences from it
    // at both ends: the method of Chandrupatla (1997), which takes few more steps than bisection at worst.
    double root(double wanted, double a, double fa, double b, double fb, double tolerance) const {
        double t = 0.5;
        for (int i = 0; i < 200; ++i) {
            const double x = a + t * (b - a), fx = below(x) - wanted;
            const bool same = (fx > 0) == (fa > 0);
            const double c = same ? a : b, fc = same ? fa : fb;
            if (!same) {
                b = a;
                fb = fa;
            }
            a = x;
            fa = fx;
            const double best = std::abs(fa) < std::abs(fb) ? a : b;
            const double least = (4e-16 * std::abs(best) + tolerance) / std::abs(b - a);
            if (fa == 0 || fb == 0 || !(least <= 0.5)) return best;
            const double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
            t = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi
                    ? fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb)
                    : 0.5;
            t = std::min(1 - least, std::max(least, t));
        }
        return a;
    }
};

}  // namespace czz
