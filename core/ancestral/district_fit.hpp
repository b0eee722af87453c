// The maximised Gaussian likelihood of one district of a MAG given its parents, by residual iterative conditional
// fitting (RICF; Drton, Eichler & Richardson 2009).
//
// The model of a district D is X_i = sum_p b_ip X_p + e_i for i in D, with p the parents of i, and Cov(e) = W with
// W_ij = 0 unless i <-> j. Given all but the parameters of i, let Z = W_(-i,-i)^-1 e_(-i). Then
// X_i = sum_p b_ip X_p + sum_s W_is Z_s + noise, with s the spouses of i: a least-squares problem, whose residual
// variance v gives W_ii = v + W_is (W_(-i,-i)^-1)_sr W_ri. A sweep solves it for each node, and never lowers the
// likelihood. There may be several maxima; the sweeps begin at least squares with independent residuals or, as a second
// start, without arrows.
#pragma once
#include "ancestral/small_cholesky.hpp"
#include <algorithm>

namespace czz {

class DistrictFit {
    static constexpr int kMost = kMostMagNodes;
    struct Few {  // a few numbers of nodes
        int size = 0;
        std::array<int, kMost> node{};
        void add(int v) { node[std::size_t(size++)] = v; }
        int operator[](int i) const { return node[std::size_t(i)]; }
    };
    const double* covariance_;  // n by n
    const int n_;
    int size_ = 0;
    Few columns_;                               // of the nodes of the district
    std::array<Few, kMost> parents_, spouses_;  // by place in the district: columns, and places
    double coefficients_[kMost][kMost];         // the residual of a place as a combination of columns
    double with_columns_[kMost][kMost];         // covariances of residuals and columns
    double residuals_[kMost][kMost];            // of residuals with each other
    double error_[kMost][kMost];                // W

    double cov(int a, int b) const { return covariance_[a * n_ + b]; }
    static std::size_t at(int i) { return std::size_t(i); }

    void residual_changed(int i) {
        for (int c = 0; c < n_; ++c) {
            double sum = coefficients_[i][columns_[i]] * cov(columns_[i], c);
            for (int q = 0; q < parents_[at(i)].size; ++q)
                sum += coefficients_[i][parents_[at(i)][q]] * cov(parents_[at(i)][q], c);
            with_columns_[i][c] = sum;
        }
        for (int j = 0; j < size_; ++j) {
            double sum = with_columns_[i][columns_[j]] * coefficients_[j][columns_[j]];
            for (int q = 0; q < parents_[at(j)].size; ++q)
                sum += with_columns_[i][parents_[at(j)][q]] * coefficients_[j][parents_[at(j)][q]];
            residuals_[i][j] = residuals_[j][i] = sum;
        }
    }
    bool least_squares(int i) {
        const Few& parents = parents_[at(i)];
        SmallCholesky gram;
        double slope[kMost];
        for (int q = 0; q < parents.size; ++q) {
            for (int r = 0; r <= q; ++r) gram.a[q][r] = cov(parents[q], parents[r]);
            slope[q] = cov(columns_[i], parents[q]);
        }
        if (!gram.factor(parents.size)) return false;
        gram.solve(parents.size, slope);
        for (int q = 0; q < parents.size; ++q) coefficients_[i][parents[q]] = -slope[q];
        return true;
    }
    bool start(bool without_arrows) {
        for (int i = 0; i < size_; ++i) {
            std::fill_n(coefficients_[i], n_, 0.0);
            std::fill_n(error_[i], size_, 0.0);
            coefficients_[i][columns_[i]] = 1;
            if (!without_arrows && !least_squares(i)) return false;
        }
        for (int i = 0; i < size_; ++i) residual_changed(i);
        for (int i = 0; i < size_; ++i) error_[i][i] = residuals_[i][i];
        if (without_arrows) shrunken_errors();
        return true;
    }
    // The residual covariances of spouses, times the largest of 0.95, 0.76, ... that leaves W positive definite.
    void shrunken_errors() {
        for (double factor = 0.95; factor > 1e-3; factor *= 0.8) {
            SmallCholesky trial;
            for (int i = 0; i < size_; ++i) {
                std::fill_n(trial.a[i], i, 0.0);
                trial.a[i][i] = residuals_[i][i];
                for (int r = 0; r < spouses_[at(i)].size; ++r)
                    if (const int j = spouses_[at(i)][r]; j < i) trial.a[i][j] = factor * residuals_[i][j];
            }
            if (!trial.factor(size_)) continue;
            for (int i = 0; i < size_; ++i)
                for (int r = 0; r < spouses_[at(i)].size; ++r) {
                    const int j = spouses_[at(i)][r];
                    error_[i][j] = factor * residuals_[i][j];
                }
            return;
        }
    }

    // Fits the parameters of place i given the others. For the last place, whose W_(-i,-i) is that of all others,
    // `deviance` becomes log |W| + tr(W^-1 residual covariances).
    bool update(int i, double& deviance) {
        const Few &parents = parents_[at(i)], &spouses = spouses_[at(i)];
        const int p = parents.size, s = spouses.size, others = size_ - 1;
        auto place = [i](int k) { return k < i ? k : k + 1; };  // of the k-th other node
        auto other = [i](int j) { return j < i ? j : j - 1; };
        SmallCholesky rest;
        double inverse[kMost][kMost];
        for (int a = 0; a < others; ++a)
            for (int b = 0; b <= a; ++b) rest.a[a][b] = error_[place(a)][place(b)];
        if (!rest.factor(others)) return false;
        auto invert = [&](int row) {
            std::fill_n(inverse[row], others, 0.0);
            inverse[row][row] = 1;
            rest.solve(others, inverse[row]);
        };
        const bool is_last = i == size_ - 1;  // the deviance needs all rows, the rest those of the spouses
        for (int k = 0; k < (is_last ? others : s); ++k) invert(is_last ? k : other(spouses[k]));

        SmallCholesky gram;  // of the parents and the Z of the spouses
        double product[kMost], solution[kMost];
        for (int x = 0; x < p; ++x) {
            for (int y = 0; y <= x; ++y) gram.a[x][y] = cov(parents[x], parents[y]);
            product[x] = cov(columns_[i], parents[x]);
        }
        for (int k = 0; k < s; ++k) {
            const double* row = inverse[other(spouses[k])];
            auto dot = [&](auto&& value) {
                double sum = 0;
                for (int t = 0; t < others; ++t) sum += row[t] * value(place(t), t);
                return sum;
            };
            for (int x = 0; x < p; ++x)
                gram.a[p + k][x] = dot([&](int j, int) { return with_columns_[j][parents[x]]; });
            double along[kMost];  // covariances of Z_k and the residuals
            for (int t = 0; t < others; ++t) along[t] = dot([&](int j, int) { return residuals_[j][place(t)]; });
            for (int r = 0; r <= k; ++r) {
                const double* second = inverse[other(spouses[r])];
                double sum = 0;
                for (int t = 0; t < others; ++t) sum += along[t] * second[t];
                gram.a[p + k][p + r] = sum;
            }
            product[p + k] = dot([&](int j, int) { return with_columns_[j][columns_[i]]; });
        }
        std::copy_n(product, p + s, solution);
        if (!gram.factor(p + s)) return false;
        gram.solve(p + s, solution);
        double variance = cov(columns_[i], columns_[i]);
        for (int x = 0; x < p + s; ++x) variance -= solution[x] * product[x];
        if (!(variance > 0)) return false;

        for (int x = 0; x < p; ++x) coefficients_[i][parents[x]] = -solution[x];
        double explained = 0;
        for (int k = 0; k < s; ++k) {
            error_[i][spouses[k]] = error_[spouses[k]][i] = solution[p + k];
            for (int r = 0; r < s; ++r)
                explained += solution[p + k] * inverse[other(spouses[k])][other(spouses[r])] * solution[p + r];
        }
        error_[i][i] = variance + explained;
        if (is_last) {
            deviance = rest.log_determinant(others) + fast_log(variance) + 1;
            for (int a = 0; a < others; ++a)
                for (int b = 0; b < others; ++b) deviance += inverse[a][b] * residuals_[place(a)][place(b)];
        }
        residual_changed(i);
        return true;
    }

  public:
    static constexpr int kMostSweeps = 5000;

    DistrictFit(int n, const double* covariance) : covariance_(covariance), n_(n) {}

    // Minus two over the number of rows times the maximised log likelihood, without the term in 2 pi; infinite if the
    // covariances are not positive definite. Sweeps end when the rest that a geometric series of their gains would add
    // to the log likelihood of `rows` rows is below `tolerance`.
    double deviance(const Mag& g, MagSet district, double rows, double tolerance, bool without_arrows) {
        size_ = 0;
        columns_ = {};
        std::array<int, kMost> place{};
        each_node(district, [&](int v) { place[at(v)] = size_++, columns_.add(v); });
        for (int i = 0; i < size_; ++i) {
            parents_[at(i)] = spouses_[at(i)] = {};
            each_node(g.parents[at(columns_[i])], [&](int q) { parents_[at(i)].add(q); });
            each_node(g.spouses[at(columns_[i])], [&](int q) { spouses_[at(i)].add(place[at(q)]); });
        }
        constexpr double kNever = std::numeric_limits<double>::infinity();
        if (!start(without_arrows)) return kNever;
        double before = kNever, last_gain = 0;
        for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
            double now = before;
            for (int i = 0; i < size_; ++i)
                if (!update(i, now)) return kNever;
            const double gain = before - now, ratio = last_gain > 0 ? std::min(0.999, gain / last_gain) : 0.999;
            before = now;
            last_gain = gain;
            if (sweep > 1 && rows / 2 * gain * ratio / (1 - ratio) < tolerance) break;
        }
        return before;
    }
};

}  // namespace czz
