// Gaussian scores of blocks of columns, one block per node: a categorical column is a block of indicators, all levels
// but one (Andrews, Ramsey & Cooper 2019). Both are differences s(y, P) = F(P ∪ y) − F(P) of a set function
//
//   F(S) = c(d) − h(d) log |R_S| − penalty d (d + 1) / 2,   h(d) = h(0) + d · slope,   d the number of columns of S;
//
// BIC: R the covariance, h = N / 2, c(d) = −d N / 2, penalty log N / 2 times a factor; marginal likelihood (BGe of
// blocks): R the posterior scatter, h(d) = (N + alpha_w − D + d) / 2 for D columns in all, penalty 0.
//
// One Cholesky factorization of the columns of S, then y, gives a row: with v the log determinants given S, log |R|
// changes with x by v_x and, if y is there as well, by log |Cov(x | S, y)|; without x by log |(R_SS⁻¹)_xx| and log
// |(R_Sy⁻¹)_xx|. Since h is linear, log |R_SS| itself cancels. Rounding is as for the Gaussian score, with columns
// instead of nodes.
#pragma once
#include "base/kernels.hpp"
#include "base/math.hpp"
#include "scores/score.hpp"

namespace czz {

class Blocks final : public Score {
    int n_, columns_;
    std::vector<int> begin_;  // the columns of v: begin_[v] .. begin_[v + 1]
    std::size_t stride_;
    std::vector<double> correlation_, log_scale_;  // rows of `stride_`; summed over the block of each node
    double h_, slope_, penalty_;                   // h(0), its slope, and the penalty for one parameter
    std::vector<double> c_;                        // by the number of columns, 0..columns_

  public:
    Blocks(std::vector<int> begin, const double* correlation, const double* log_scale, double h, double slope,
           const double* c, double penalty)
        : n_(int(begin.size()) - 1), columns_(begin.back()), begin_(std::move(begin)),
          stride_(std::size_t(columns_ + 7) / 8 * 8), correlation_(std::size_t(columns_) * stride_),
          log_scale_(log_scale, log_scale + n_), h_(h), slope_(slope), penalty_(penalty), c_(c, c + columns_ + 1) {
        for (int i = 0; i < columns_; ++i)
            std::copy_n(correlation + std::size_t(i) * columns_, columns_, &correlation_[std::size_t(i) * stride_]);
        // A row is first computed as if every x were added, also those in S, which are then overwritten.
        c_.resize(2 * std::size_t(columns_) + 1);
    }

    int n() const override { return n_; }
    double local(int y, const std::vector<int>& S) const override {
        Factor f;
        f.of(*this, y, S);
        const double d = width(y);
        double out = c_[f.size()] - c_[f.given] - h(f.size()) * f.log_determinant(f.given, f.size(), log_scale_[y]) -
                     penalty_ * (d * double(f.given) + d * (d + 1) / 2);
        if (slope_ != 0) {
            double scale = 0;
            for (int v : S) scale += log_scale_[v];
            out -= slope_ * d * f.log_determinant(0, f.given, scale);
        }
        return out;
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }
    std::unique_ptr<Score> restricted(const std::vector<int>& nodes) const override {
        if (int(nodes.size()) == n_) return nullptr;
        std::vector<int> begin{0}, columns;
        std::vector<double> correlation, log_scale;
        for (int v : nodes) {
            for (int c = begin_[v]; c < begin_[v + 1]; ++c) columns.push_back(c);
            begin.push_back(int(columns.size()));
            log_scale.push_back(log_scale_[v]);
        }
        for (int c : columns)
            for (int d : columns) correlation.push_back(row(c)[d]);
        return std::make_unique<Blocks>(std::move(begin), correlation.data(), log_scale.data(), h_, slope_, c_.data(),
                                        penalty_);
    }

  private:
    int width(int v) const { return begin_[v + 1] - begin_[v]; }
    double h(std::size_t d) const { return h_ + slope_ * double(d); }
    const double* row(int column) const { return &correlation_[std::size_t(column) * stride_]; }

    // The Cholesky factor of the columns of S, then those of y; its diagonal is inverted.
    struct Factor {
        std::vector<int> columns;
        std::vector<double> L;
        std::size_t given = 0;  // columns of S

        std::size_t size() const { return columns.size(); }
        // log |R| of some of the columns, given those before them; `scale` is what scaling to a unit diagonal took
        // away.
        double log_determinant(std::size_t from, std::size_t to, double scale) const {
            for (std::size_t i = from; i < to; ++i) scale -= 2 * fast_log(L[i * size() + i]);
            return scale;
        }
        void of(const Blocks& s, int y, const std::vector<int>& S) {
            columns.clear();
            auto take = [&](int v) {
                for (int c = s.begin_[v]; c < s.begin_[v + 1]; ++c) columns.push_back(c);
            };
            for (int v : S) take(v);
            given = size();
            take(y);
            L.resize(size() * size());
            for (std::size_t i = 0; i < size(); ++i) {
                const double* r = s.row(columns[i]);
                double* Li = &L[i * size()];
                double square = 1;
                for (std::size_t j = 0; j < i; ++j) {
                    double t = r[columns[j]];
                    for (std::size_t q = 0; q < j; ++q) t -= Li[q] * L[j * size() + q];
                    Li[j] = t * L[j * size() + j];
                    square -= Li[j] * Li[j];
                }
                Li[i] = 1 / std::sqrt(std::max(square, kLeastVariance));
            }
        }
    };

    // log |A| of a positive definite d by d matrix, which is overwritten.
    static double log_determinant(std::vector<double>& A, int d) {
        double sum = 0;
        for (int i = 0; i < d; ++i) {
            for (int j = 0; j <= i; ++j) {
                double t = A[std::size_t(i * d + j)];
                for (int q = 0; q < j; ++q) t -= A[std::size_t(i * d + q)] * A[std::size_t(j * d + q)];
                if (j < i) {
                    A[std::size_t(i * d + j)] = t / A[std::size_t(j * d + j)];
                } else {
                    t = std::max(t, kLeastVariance);
                    sum += fast_log(t);
                    A[std::size_t(i * d + i)] = std::sqrt(t);
                }
            }
        }
        return sum;
    }

    class Kernel final : public RowKernel {
        const Blocks& s_;
        Factor f_;
        std::vector<double> Z_, v_, v_y_, A_, B_, inverse_;
        std::vector<const double*> rows_;

      public:
        explicit Kernel(const Blocks& s) : s_(s), v_(s.stride_), v_y_(s.stride_) {}

        void row(int y, const std::vector<int>& S, double* difference) override {
            f_.of(s_, y, S);
            const int k = int(f_.size());
            Z_.resize(std::size_t(k) * s_.stride_);
            rows_.resize(std::size_t(k));
            for (int i = 0; i < k; ++i) rows_[i] = s_.row(f_.columns[i]);
            forward_row(int(s_.stride_), k, int(f_.given), rows_.data(), f_.L.data(), Z_.data(), v_.data(),
                        v_y_.data());
            std::fill_n(difference, std::size_t(s_.n_ + 7) / 8 * 8, 0.0);
            const double v_y = f_.log_determinant(f_.given, f_.size(), s_.log_scale_[y]);
            for (int x = 0; x < s_.n_; ++x) {
                if (x == y) continue;
                const auto [given_S, given_Sy] = log_determinants(x);
                difference[x] = change(s_.width(y), f_.given, f_.given + s_.width(x), v_y, given_S + s_.log_scale_[x],
                                       given_Sy - given_S);
            }
            deletes(y, S, v_y, difference);
        }

      private:
        // s(y, S') − s(y, S), for S' with `to` columns instead of `from`; `log_S` is log |R_S'| − log |R_S|, and `more`
        // what this difference grows by with y.
        double change(int d, std::size_t from, std::size_t to, double v_y, double log_S, double more) const {
            const std::size_t y = std::size_t(d);
            const double wider = double(to) - double(from);
            const double constants = s_.c_[to + y] - s_.c_[to] - (s_.c_[from + y] - s_.c_[from]);
            return -s_.h(to + y) * more - s_.penalty_ * d * wider + constants - s_.slope_ * (wider * v_y + d * log_S);
        }
        // log |Cov(x | S)| and log |Cov(x | S, y)| of the scaled columns
        std::pair<double, double> log_determinants(int x) {
            const int d = s_.width(x), first = s_.begin_[x];
            if (d == 1) return {fast_log(v_[first]), fast_log(v_y_[first])};
            A_.resize(std::size_t(d) * d);
            for (int i = 0; i < d; ++i)
                for (int j = 0; j <= i; ++j) A_[std::size_t(i * d + j)] = s_.row(first + i)[first + j];
            subtract(first, d, 0, f_.given);
            B_ = A_;
            const double before = log_determinant(B_, d);
            subtract(first, d, f_.given, f_.size());
            return {before, log_determinant(A_, d)};
        }
        void subtract(int first, int d, std::size_t from, std::size_t to) {
            for (std::size_t r = from; r < to; ++r) {
                const double* z = &Z_[r * s_.stride_] + first;
                for (int i = 0; i < d; ++i)
                    for (int j = 0; j <= i; ++j) A_[std::size_t(i * d + j)] -= z[i] * z[j];
            }
        }

        void deletes(int y, const std::vector<int>& S, double v_y, double* difference) {
            const std::size_t k = f_.size();
            inverse_.resize(k * k);  // of L, by columns
            for (std::size_t c = 0; c < f_.given; ++c)
                for (std::size_t r = c; r < k; ++r) {
                    double t = r == c ? 1 : 0;
                    for (std::size_t j = c; j < r; ++j) t -= f_.L[r * k + j] * inverse_[c * k + j];
                    inverse_[c * k + r] = t * f_.L[r * k + r];
                }
            std::size_t first = 0;
            for (int x : S) {
                const int d = s_.width(x);
                A_.assign(std::size_t(d) * d, 0.0);
                add_precision(first, d, 0, f_.given);
                B_ = A_;
                const double before = log_determinant(B_, d);
                add_precision(first, d, f_.given, k);
                difference[x] = change(s_.width(y), f_.given, f_.given - std::size_t(d), v_y, before - s_.log_scale_[x],
                                       log_determinant(A_, d) - before);
                first += std::size_t(d);
            }
        }
        // Adds the part of rows from..to of L⁻¹ in the block of (L L')⁻¹ that begins at `first`.
        void add_precision(std::size_t first, int d, std::size_t from, std::size_t to) {
            const std::size_t k = f_.size();
            for (int i = 0; i < d; ++i)
                for (int j = 0; j <= i; ++j)
                    for (std::size_t r = std::max(from, first + std::size_t(i)); r < to; ++r)
                        A_[std::size_t(i * d + j)] += inverse_[(first + i) * k + r] * inverse_[(first + j) * k + r];
        }
    };
};

}  // namespace czz
