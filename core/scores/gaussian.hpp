// Scores of Gaussian columns, with one factorization per row: the BIC and BGe are two choices of h, c and d in
//
//   s(y, P) = c(|P|) − h(|P|) log v − d log |R_PP|,   v = R_yy − R_yP R_PP⁻¹ R_Py,
//
// BIC: R the covariance, h = N / 2, d = 0; BGe: R the posterior scatter, h(k) = (N + alpha_w − n + k + 1) / 2, d = 1/2.
//
// R is scaled to a unit diagonal. With L L' = R_SS and Z = L⁻¹ R_S·, adding x to S multiplies v by
// q = 1 − c² / (v_x v_y), where c and v are given S; removing x from S adds β_x² / (R_SS⁻¹)_xx to it.
//
// Rounding: the absolute error of every v is at most about |S| · 2⁻⁵², in a row and in local(). With λ the smallest
// eigenvalue of the scaled R, no v is below λ, so row and local() agree up to h · 2 |S| · 2⁻⁵² / λ. Python ensures that
// λ is above 1e-10, and then kLeastVariance is never reached.
#pragma once
#include "base/kernels.hpp"
#include "base/math.hpp"
#include "scores/score.hpp"

namespace czz {

class Gaussian final : public Score {
    int n_;
    std::size_t stride_;               // n rounded up to a multiple of 8
    std::vector<double> correlation_;  // rows of `stride_`
    std::vector<double> log_scale_;    // log R_vv of each column, before scaling
    std::vector<double> h_, c_;        // by the number of parents, 0..n
    double d_;

  public:
    Gaussian(int n, const double* correlation, const double* log_scale, const double* h, const double* c, double d)
        : n_(n), stride_(std::size_t(n + 7) / 8 * 8), correlation_(std::size_t(n) * stride_), log_scale_(stride_),
          h_(h, h + n + 1), c_(c, c + n + 1), d_(d) {
        std::copy_n(log_scale, n, log_scale_.data());
        for (int i = 0; i < n; ++i)
            std::copy_n(correlation + std::size_t(i) * n, n, &correlation_[std::size_t(i) * stride_]);
    }

    int n() const override { return n_; }
    double local(int y, const std::vector<int>& S) const override {
        Factor f;
        f.of(*this, y, S);
        return c_[S.size()] - h_[S.size()] * (fast_log(f.vy) + log_scale_[y]) - d_ * f.log_determinant;
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }
    bool has_parts() const override { return true; }
    std::unique_ptr<Score> restricted(const std::vector<int>& nodes) const override {
        constexpr int kFewColumns = 64;  // as fast together as a few of them
        if (n_ <= kFewColumns || int(nodes.size()) > kFewColumns) return nullptr;
        std::vector<double> correlation, log_scale;
        for (int v : nodes) {
            log_scale.push_back(log_scale_[std::size_t(v)]);
            for (int u : nodes) correlation.push_back(row(v)[u]);
        }
        return std::make_unique<Gaussian>(int(nodes.size()), correlation.data(), log_scale.data(), h_.data(), c_.data(),
                                          d_);
    }

  private:
    const double* row(int v) const { return &correlation_[std::size_t(v) * stride_]; }

    // The Cholesky factor L of the correlations of S (diagonal inverted), and L⁻¹ times the correlations of S with y.
    struct Factor {
        std::vector<double> L, zy;
        double vy = 1, log_determinant = 0;  // scaled variance of y given S; log |R_SS|, computed only if d is not 0

        void of(const Gaussian& s, int y, const std::vector<int>& S) {
            const std::size_t k = S.size();
            L.resize(k * k);
            zy.resize(k);
            vy = 1;
            log_determinant = 0;
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
                square = std::max(square, kLeastVariance);
                if (s.d_ != 0) log_determinant += fast_log(square) + s.log_scale_[S[i]];
                Li[i] = 1 / std::sqrt(square);
                zy[i] = zi * Li[i];
                vy -= zy[i] * zy[i];
            }
            vy = std::max(vy, kLeastVariance);
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
            inserts(y, S, 0, int(s_.stride_), difference);
            deletes(y, S, difference);
        }
        void part(int y, const std::vector<int>& S, int first, int count, double* difference) override {
            f_.of(s_, y, S);
            inserts(y, S, first, count, difference);
        }

      private:
        void inserts(int y, const std::vector<int>& S, int first, int count, double* difference) {
            const int k = int(S.size());
            if (k == s_.n_) return;
            const double log_vy = fast_log(f_.vy) + s_.log_scale_[y];
            const double base = s_.c_[k + 1] - s_.c_[k] - (s_.h_[k + 1] - s_.h_[k]) * log_vy;
            space_.resize(8 * S.size() + s_.stride_);
            rows_.clear();
            for (int v : S) rows_.push_back(s_.row(v) + first);
            gaussian_row(count, k, rows_.data(), s_.row(y) + first, f_.L.data(), f_.zy.data(), f_.vy, s_.h_[k + 1],
                         base, s_.d_, &s_.log_scale_[std::size_t(first)], space_.data(), difference + first);
        }
        void deletes(int y, const std::vector<int>& S, double* difference) {
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
                const double grown = 1 + beta_[i] * beta_[i] / (square * f_.vy);  // v without x divided by v with x
                double out = s_.c_[k - 1] - s_.c_[k] - s_.h_[k - 1] * fast_log(grown) +
                             (s_.h_[k] - s_.h_[k - 1]) * (fast_log(f_.vy) + s_.log_scale_[y]);
                if (s_.d_ != 0) out += s_.d_ * (s_.log_scale_[S[i]] - fast_log(square));
                difference[S[i]] = out;
            }
        }
    };
};

}  // namespace czz
