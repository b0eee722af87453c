// BGe, the marginal likelihood of Gaussian columns: the one place of its constants.
#pragma once
#include "scores/blocks.hpp"
#include "scores/gaussian.hpp"

namespace czz {

// The prior of all columns: mean 0 with the weight of alpha_mu rows, alpha_w degrees of freedom, and `scale` times I as
// the prior scatter (Geiger & Heckerman 2002; Kuipers, Moffa & Heckerman 2014). The log marginal likelihood of d of the
// columns in N rows, with posterior scatter R, is Σ_{i ≤ d} constant(N, i) − half_freedom(N, d) log |R|.
struct NormalWishart {
    std::size_t columns;
    double alpha_mu, alpha_w, scale;

    double half_freedom(double rows, std::size_t d) const { return (rows + alpha_w - double(columns) + double(d)) / 2; }
    double constant(double rows, std::size_t d) const {
        constexpr double kLogPi = 1.14472988584940017414;
        const double prior_freedom = half_freedom(0, d);
        return -rows / 2 * kLogPi + 0.5 * fast_log(alpha_mu / (alpha_mu + rows)) + log_gamma(half_freedom(rows, d)) -
               log_gamma(prior_freedom) + (prior_freedom + (double(d) - 1) / 2) * fast_log(scale);
    }
};

// The score of nodes with blocks of the columns, or of single columns, which may be some of those of the prior.
// `correlation` is the posterior scatter, scaled to a unit diagonal; log_scale: the logarithms of its diagonal.
inline std::unique_ptr<Score> bge_score(const std::vector<int>& begin, const double* correlation,
                                        const double* log_scale, double rows, const NormalWishart& prior) {
    const int n = int(begin.size()) - 1, columns = begin.back();
    std::vector<double> h, c;
    if (n == columns) {
        for (int k = 0; k <= n; ++k) {  // by the number of parents
            h.push_back(prior.half_freedom(rows, std::size_t(k) + 1));
            c.push_back(prior.constant(rows, std::size_t(k) + 1));
        }
        return std::make_unique<Gaussian>(n, correlation, log_scale, h.data(), c.data(), 0.5);
    }
    c.push_back(0);
    for (int d = 1; d <= columns; ++d) c.push_back(c.back() + prior.constant(rows, std::size_t(d)));
    std::vector<double> sums;
    for (int v = 0; v < n; ++v) {
        sums.push_back(0);
        for (int i = begin[v]; i < begin[v + 1]; ++i) sums.back() += log_scale[i];
    }
    return std::make_unique<Blocks>(begin, correlation, sums.data(), prior.half_freedom(rows, 0), 0.5, c.data(), 0.0);
}

}  // namespace czz
