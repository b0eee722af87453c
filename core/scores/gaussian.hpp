// Gaussian BIC: s(y, P) = (−N (1 + log v) − penalty (1 + |P|) log N) / 2, v the residual variance of y given P.
//
// One Cholesky factorisation of the correlations of S gives the differences for all x at once: with L L' = R_SS and
// Z = L⁻¹ R_S·, adding x to S divides the variance of y by 1 / (1 − c² / (v_x v_y)), c and v given S; taking x out of
// S adds β_x² / (R_SS⁻¹)_xx to it.
#pragma once
#include "../kernels.hpp"
#include "../math.hpp"
#include "../score.hpp"

namespace czz {

class Gaussian final : public Score {
    int n_;
    std::size_t stride_;                // n rounded up to a multiple of 8
    std::vector<double> correlation_;   // rows of `stride_`
    std::vector<double> log_variance_;  // of each column
    double samples_, penalty_;          // penalty for one parent: penalty · log N / 2

  public:
    Gaussian(int n, const double* correlation, const double* log_variance, double samples, double penalty)
        : n_(n), stride_(std::size_t(n + 7) / 8 * 8), correlation_(std::size_t(n) * stride_),
          log_variance_(log_variance, log_variance + n), samples_(samples),
          penalty_(0.5 * penalty * std::log(samples)) {
        for (int i = 0; i < n; ++i)
            std::copy_n(correlation + std::size_t(i) * n, n, &correlation_[std::size_t(i) * stride_]);
    }

    int n() const override { return n_; }
    double local(int y, const std::vector<int>& parents) const override {
        Factor f;
        f.of(*this, y, parents);
        return -0.5 * samples_ * (1 + fast_log(f.vy) + log_variance_[y]) - penalty_ * (1 + double(parents.size()));
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }

  private:
    const double* row(int v) const { return &correlation_[std::size_t(v) * stride_]; }

    // The Cholesky factor of the correlations of S (diagonal inverted), and y seen through it.
    struct Factor {
        std::vector<double> L, zy;
        double vy = 1;

        void of(const Gaussian& s, int y, const std::vector<int>& S) {
            const std::size_t k = S.size();
            L.resize(k * k);
            zy.resize(k);
            vy = 1;
            for (std::size_t i = 0; i < k; ++i) {
                const double* r = s.row(S[i]);
                double* Li = &L[i * k];
                double zi = r[y], square = 1;
                for (std::size_t j = 0; j < i; ++j) {
                    double t = r[S[j]];
                    for (std::size_t q = 0; q < j; ++q) t -= Li[q] * L[j * k + q];
                    Li[j] = t * L[j * k + j];
                    square -= Li[j] * Li[j];
                    zi -= Li[j] * zy[j];
                }
                Li[i] = 1 / std::sqrt(std::max(square, 1e-12));
                zy[i] = zi * Li[i];
                vy -= zy[i] * zy[i];
            }
            vy = std::max(vy, 1e-12);
        }
    };

    class Kernel final : public RowKernel {
        const Gaussian& s_;
        Factor f_;
        std::vector<double> space_, beta_, column_;
        std::vector<const double*> rows_;

      public:
        explicit Kernel(const Gaussian& s) : s_(s) {}

        void row(int y, const std::vector<int>& S, double* difference) override {
            f_.of(s_, y, S);
            space_.resize(8 * S.size());
            rows_.clear();
            for (int v : S) rows_.push_back(s_.row(v));
            gaussian_row(int(s_.stride_), int(S.size()), rows_.data(), s_.row(y), f_.L.data(), f_.zy.data(), f_.vy,
                         0.5 * s_.samples_, s_.penalty_, space_.data(), difference);
            deletes(S, difference);
        }

      private:
        void deletes(const std::vector<int>& S, double* difference) {
            const int k = int(S.size());
            const double* L = f_.L.data();
            beta_.resize(S.size());
            column_.resize(S.size());
            for (int i = k - 1; i >= 0; --i) {  // L' beta = zy
                double t = f_.zy[i];
                for (int j = i + 1; j < k; ++j) t -= L[j * k + i] * beta_[j];
                beta_[i] = t * L[i * k + i];
            }
            for (int i = 0; i < k; ++i) {  // (R_SS⁻¹)_ii is the squared length of column i of L⁻¹
                double square = 0;
                for (int r = i; r < k; ++r) {
                    double t = r == i ? 1 : 0;
                    for (int j = i; j < r; ++j) t -= L[r * k + j] * column_[j];
                    column_[r] = t * L[r * k + r];
                    square += column_[r] * column_[r];
                }
                difference[S[i]] =
                    -0.5 * s_.samples_ * fast_log(1 + beta_[i] * beta_[i] / (square * f_.vy)) + s_.penalty_;
            }
        }
    };
};

}  // namespace czz
