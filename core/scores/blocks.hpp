// Gaussian BIC of blocks of columns (the degenerate Gaussian score, Andrews, Ramsey & Cooper 2019): a categorical
// column is a block of indicators, all levels but one. With D_v columns in the block of v,
//
//   s(y, P) = (−N (D_y + log |V|) − penalty (D_y D_P + D_y (D_y + 1) / 2) log N) / 2,   V = Cov(y | P).
//
// One Cholesky factorization of the columns of S, then y, gives a row: log |V| changes with x by
// log |Cov(x | S, y)| − log |Cov(x | S)|, and without x by log |(R_Sy⁻¹)_xx| − log |(R_SS⁻¹)_xx|. Rounding is
// as for the Gaussian score, with columns instead of nodes.
#pragma once
#include "base/kernels.hpp"
#include "base/math.hpp"
#include "scores/score.hpp"

namespace czz {

class Blocks final : public Score {
    int n_, columns_;
    std::vector<int> begin_;  // the columns of v: begin_[v] .. begin_[v + 1]
    std::size_t stride_;
    std::vector<double> correlation_, log_variance_;  // rows of `stride_`; summed over the block of each node
    double samples_, penalty_;                        // penalty for one parameter: penalty · log N / 2

  public:
    Blocks(std::vector<int> begin, const double* correlation, const double* log_variance, double samples,
           double penalty)
        : n_(int(begin.size()) - 1), columns_(begin.back()), begin_(std::move(begin)),
          stride_(std::size_t(columns_ + 7) / 8 * 8), correlation_(std::size_t(columns_) * stride_),
          log_variance_(log_variance, log_variance + n_), samples_(samples),
          penalty_(0.5 * penalty * std::log(samples)) {
        for (int i = 0; i < columns_; ++i)
            std::copy_n(correlation + std::size_t(i) * columns_, columns_, &correlation_[std::size_t(i) * stride_]);
    }

    int n() const override { return n_; }
    double local(int y, const std::vector<int>& S) const override {
        Factor f;
        f.of(*this, y, S);
        const double d = width(y);
        double log_v = log_variance_[y];
        for (std::size_t i = f.given; i < f.size(); ++i) log_v -= 2 * fast_log(f.L[i * f.size() + i]);
        return -0.5 * samples_ * (d + log_v) - penalty_ * (d * double(f.given) + d * (d + 1) / 2);
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }

  private:
    int width(int v) const { return begin_[v + 1] - begin_[v]; }
    const double* row(int column) const { return &correlation_[std::size_t(column) * stride_]; }

    // The Cholesky factor of the columns of S, then those of y; its diagonal is inverted.
    struct Factor {
        std::vector<int> columns;
        std::vector<double> L;
        std::size_t given = 0;  // columns of S

        std::size_t size() const { return columns.size(); }
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
            for (int x = 0; x < s_.n_; ++x) {
                if (x == y) continue;
                const double change =
                    s_.width(x) == 1 ? fast_log(v_y_[s_.begin_[x]]) - fast_log(v_[s_.begin_[x]]) : log_ratio(x);
                difference[x] = -0.5 * s_.samples_ * change - s_.penalty_ * s_.width(y) * s_.width(x);
            }
            deletes(y, S, difference);
        }

      private:
        // log |Cov(x | S, y)| − log |Cov(x | S)|
        double log_ratio(int x) {
            const int d = s_.width(x), first = s_.begin_[x];
            A_.resize(std::size_t(d) * d);
            for (int i = 0; i < d; ++i)
                for (int j = 0; j <= i; ++j) A_[std::size_t(i * d + j)] = s_.row(first + i)[first + j];
            subtract(first, d, 0, f_.given);
            B_ = A_;
            const double before = log_determinant(B_, d);
            subtract(first, d, f_.given, f_.size());
            return log_determinant(A_, d) - before;
        }
        void subtract(int first, int d, std::size_t from, std::size_t to) {
            for (std::size_t r = from; r < to; ++r) {
                const double* z = &Z_[r * s_.stride_] + first;
                for (int i = 0; i < d; ++i)
                    for (int j = 0; j <= i; ++j) A_[std::size_t(i * d + j)] -= z[i] * z[j];
            }
        }

        void deletes(int y, const std::vector<int>& S, double* difference) {
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
                difference[x] = -0.5 * s_.samples_ * (log_determinant(A_, d) - before) + s_.penalty_ * s_.width(y) * d;
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
