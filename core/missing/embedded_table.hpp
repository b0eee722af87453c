// A completed table of numbers, and of categorical columns embedded as numbers, for BGe and its form for blocks.
//
// A sweep draws parameters given a DAG of the class, then the missing cells given the parameters. With the posterior
// scatter R and the posterior mean ν of the normal-Wishart prior (mean 0 with the weight of α_μ rows, α_w degrees of
// freedom, scatter t I), a column y with p parents P among m columns has
//
//   σ² = R_y|P / χ²(α_w + N − m + p + 1),  b ~ N(R_PP⁻¹ R_Py, σ² R_PP⁻¹),  intercept ~ N(ν_y − b'ν_P, σ² / (N + α_μ)),
//
// which gives the density of a row, exp(−x'Kx / 2 + k'x). Missing numbers are drawn jointly, given the rest of the row,
// from N(K_CC⁻¹ (k_C − K_Co x_o), K_CC⁻¹). The columns of a node are a complete DAG among themselves.
//
// A missing level is drawn before the missing numbers of its row, which are integrated out. The normal density of a few
// points is not a distribution of levels: alone, a categorical column must have the Dirichlet-multinomial probability
// D(counts), not its normal marginal likelihood F(counts). So the completed table gets the weight
//
//   p(X | γ) · Π_v D(counts of v) / F(counts of v),
//
// in which the product does not depend on the class: given the table, the classes have the same posterior as without.
// Given the rest, a level has then its share of the column times the density of the rest given the level.
#pragma once
#include "base/variates.hpp"
#include "missing/completed_table.hpp"
#include "scores/normal_wishart.hpp"
#include <utility>

namespace czz {

class EmbeddedTable final : public CompletedTable {
  public:
    // The points of the levels of each node, one after another; none for a node of numbers.
    using Points = std::vector<std::vector<double>>;

  private:
    static constexpr double kLargestCell = 1e8;  // of standardized numbers in a saved state

    std::size_t rows_, m_;
    std::vector<int> begin_;  // the columns of v: begin_[v] .. begin_[v + 1]
    Points points_;
    NormalWishart prior_;
    std::vector<IncompleteRow> incomplete_;                 // rows with equal holes are adjacent
    std::vector<double> x_;                                 // the incomplete rows, in that order
    std::vector<double> complete_products_, complete_sum_;  // Σ x x' and Σ x over the complete rows
    std::vector<double> R_, sum_;                           // posterior scatter and Σ x of the completed table
    std::vector<double> codes_;                             // of the holes in categorical columns
    std::vector<std::vector<int>> counts_;                  // of the levels, for categorical columns with holes

  public:
    // `values` holds the embedded rows; those of holes are arbitrary. `codes`: of the categorical cells that have been
    // observed, by node and row, for nodes with holes.
    EmbeddedTable(std::vector<int> begin, std::size_t rows, const double* values, Points points,
                  std::vector<Hole> holes, NormalWishart prior, Rng rng)
        : CompletedTable(std::move(holes), rng), rows_(rows), m_(std::size_t(begin.back())), begin_(std::move(begin)),
          points_(std::move(points)), prior_(prior), incomplete_(incomplete_rows()), complete_products_(m_ * m_),
          complete_sum_(m_), codes_(holes_.size()), counts_(points_.size()), K_(m_ * m_), k_(m_) {
        std::stable_sort(incomplete_.begin(), incomplete_.end(),
                         [&](const IncompleteRow& a, const IncompleteRow& b) { return compare(a, b) < 0; });
        take_rows(values);
        fill(values);
        refresh();
    }

    void draw(const Parents& parents) override {
        draw_parameters(parents);
        for (std::size_t i = 0; i < incomplete_.size(); ++i) {
            if (i == 0 || compare(incomplete_[i - 1], incomplete_[i]) != 0) take_pattern(incomplete_[i]);
            draw_row(incomplete_[i], &x_[i * m_]);
        }
        refresh();
    }

    std::shared_ptr<const Score> score() const override {
        std::vector<double> scale(m_), log_scale(m_), correlation(m_ * m_);
        for (std::size_t i = 0; i < m_; ++i) {
            scale[i] = 1 / std::sqrt(R_[i * m_ + i]);
            log_scale[i] = fast_log(R_[i * m_ + i]);
        }
        for (std::size_t i = 0; i < m_; ++i)
            for (std::size_t j = 0; j < m_; ++j)
                correlation[i * m_ + j] = i == j ? 1 : R_[i * m_ + j] * scale[i] * scale[j];
        return bge_score(begin_, correlation.data(), log_scale.data(), double(rows_), prior_);
    }
    const std::vector<double>& scatter() const { return R_; }

    std::vector<double> cells() const override {
        std::vector<double> out = codes_;
        each_cell([&](std::size_t hole, std::size_t row, int v) {
            if (!is_categorical(v)) out[hole] = x_[row * m_ + std::size_t(begin_[v])];
        });
        return out;
    }
    bool fits(const std::vector<double>& cells) const override {
        for (std::size_t i = 0; i < cells.size(); ++i) {
            const int v = holes_[i].node;
            if (!(is_categorical(v) ? is_code(cells[i], levels(v)) : std::abs(cells[i]) < kLargestCell)) return false;
        }
        return true;
    }
    void set_cells(const std::vector<double>& cells) override {
        each_cell([&](std::size_t hole, std::size_t row, int v) {
            double* x = &x_[row * m_ + std::size_t(begin_[v])];
            if (is_categorical(v)) {
                --counts_[v][std::size_t(codes_[hole])];
                ++counts_[v][std::size_t(codes_[hole] = cells[hole])];
                std::copy_n(point(v, std::size_t(cells[hole])), width(v), x);
            } else {
                *x = cells[hole];
            }
        });
        refresh();
    }

  private:
    std::size_t width(int v) const { return std::size_t(begin_[v + 1] - begin_[v]); }
    bool is_categorical(int v) const { return !points_[v].empty(); }
    int levels(int v) const { return int(points_[v].size() / width(v)); }
    const double* point(int v, std::size_t level) const { return &points_[v][level * width(v)]; }

    int compare(const IncompleteRow& a, const IncompleteRow& b) const {
        const auto by_node = [](const Hole& g, const Hole& h) { return g.node <=> h.node; };
        const auto order =
            std::lexicographical_compare_three_way(&holes_[a.first], &holes_[a.first] + (a.last - a.first),
                                                   &holes_[b.first], &holes_[b.first] + (b.last - b.first), by_node);
        return order < 0 ? -1 : order > 0;
    }
    // Calls f(hole, place of its row among the incomplete ones, node).
    template <class F>
    void each_cell(F&& f) const {
        for (std::size_t row = 0; row < incomplete_.size(); ++row)
            for (std::size_t i = incomplete_[row].first; i < incomplete_[row].last; ++i) f(i, row, holes_[i].node);
    }

    // The columns of a cell: a number, or the point of a level.
    void embed(int v, double cell, double* x) const {
        if (is_categorical(v)) std::copy_n(point(v, std::size_t(cell)), width(v), x + begin_[v]);
        else x[begin_[v]] = cell;
    }
    void take_rows(const double* values) {
        const std::size_t n = points_.size();
        std::vector<char> has_holes(rows_);
        for (const IncompleteRow& r : incomplete_) has_holes[r.row] = 1;
        x_.resize(incomplete_.size() * m_);
        std::vector<double> x(m_);
        auto take = [&](std::size_t row, double* out) {
            for (std::size_t v = 0; v < n; ++v) embed(int(v), values[row * n + v], out);
        };
        for (std::size_t i = 0; i < rows_; ++i) {
            if (has_holes[i]) continue;
            take(i, x.data());
            add_products(x.data(), complete_products_, complete_sum_);
        }
        for (std::size_t i = 0; i < incomplete_.size(); ++i) take(incomplete_[i].row, &x_[i * m_]);
    }
    // The first completion, and the counts of levels.
    void fill(const double* values) {
        const std::size_t n = points_.size();
        const std::vector<u32> donors = random_donors(int(n), rows_);
        std::vector<char> missing;
        for (int v = 0; v < int(points_.size()); ++v) {
            if (!is_categorical(v)) continue;
            missing.assign(rows_, 0);
            for (const Hole& h : holes_)
                if (h.node == v) missing[h.row] = 1;
            if (!std::count(missing.begin(), missing.end(), 1)) continue;
            counts_[v].assign(std::size_t(levels(v)), 0);
            for (std::size_t i = 0; i < rows_; ++i)
                if (!missing[i]) ++counts_[v][std::size_t(values[i * n + std::size_t(v)])];
        }
        each_cell([&](std::size_t hole, std::size_t row, int v) {
            const double cell = values[donors[hole] * n + std::size_t(v)];
            embed(v, cell, &x_[row * m_]);
            if (!is_categorical(v)) return;
            codes_[hole] = cell;
            ++counts_[v][std::size_t(cell)];
        });
    }

    // The upper triangle of Σ x x', and Σ x.
    void add_products(const double* x, std::vector<double>& products, std::vector<double>& sum) const {
        for (std::size_t i = 0; i < m_; ++i) {
            const double xi = x[i];
            double* out = &products[i * m_];
            for (std::size_t j = i; j < m_; ++j) out[j] += xi * x[j];
            sum[i] += xi;
        }
    }
    // R = t I + Σ x x' − s s' / (N + α_μ) with s = Σ x.
    void refresh() {
        R_ = complete_products_;
        sum_ = complete_sum_;
        for (std::size_t i = 0; i < incomplete_.size(); ++i) add_products(&x_[i * m_], R_, sum_);
        for (std::size_t i = 0; i < m_; ++i) {
            for (std::size_t j = i; j < m_; ++j) {
                R_[i * m_ + j] -= sum_[i] * sum_[j] / weight();
                R_[j * m_ + i] = R_[i * m_ + j];
            }
            R_[i * m_ + i] += prior_.scale;
        }
    }
    double weight() const { return double(rows_) + prior_.alpha_mu; }

    // ---- parameters

    std::vector<double> K_, k_;
    std::vector<int> P_;
    std::vector<double> L_, z_, b_, epsilon_;

    void draw_parameters(const Parents& parents) {
        std::fill(K_.begin(), K_.end(), 0.0);
        std::fill(k_.begin(), k_.end(), 0.0);
        for (int v = 0; v < int(points_.size()); ++v) {
            P_.clear();
            for (int p : parents[std::size_t(v)])
                for (int c = begin_[p]; c < begin_[p + 1]; ++c) P_.push_back(c);
            for (int c = begin_[v]; c < begin_[v + 1]; ++c) {
                draw_regression(std::size_t(c));
                P_.push_back(c);
            }
        }
    }
    // The regression of column y on the columns P_, added to K and k.
    void draw_regression(std::size_t y) {
        const std::size_t p = P_.size();
        L_.resize(p * p);
        z_.resize(p);
        b_.resize(p);
        epsilon_.resize(p + 1);
        double rest = R_[y * m_ + y];
        for (std::size_t i = 0; i < p; ++i) {
            const double* row = &R_[std::size_t(P_[i]) * m_];
            factor_row(i, p, [&](std::size_t j) { return row[P_[j]]; }, L_);
            z_[i] = row[y];
            for (std::size_t j = 0; j < i; ++j) z_[i] -= L_[i * p + j] * z_[j];
            z_[i] /= L_[i * p + i];
            rest -= z_[i] * z_[i];
        }
        const double freedom = prior_.alpha_w + double(rows_) - double(m_) + double(p) + 1;
        const double variance = std::max(rest, prior_.scale) / (2 * draw_gamma(rng_, freedom / 2));
        const double deviation = std::sqrt(variance);
        fill_normal(rng_, p + 1, epsilon_.data());
        for (std::size_t i = 0; i < p; ++i) b_[i] = z_[i] + deviation * epsilon_[i];
        solve_transposed(L_, p, b_.data());
        double intercept = sum_[y] / weight() + deviation / std::sqrt(weight()) * epsilon_[p];
        for (std::size_t i = 0; i < p; ++i) intercept -= b_[i] * sum_[std::size_t(P_[i])] / weight();

        // With a = e_y − Σ b e_P: K += a a' / σ², k += a · intercept / σ².
        const double precision = 1 / variance;
        K_[y * m_ + y] += precision;
        k_[y] += precision * intercept;
        for (std::size_t i = 0; i < p; ++i) {
            const auto c = std::size_t(P_[i]);
            const double a = -b_[i] * precision;
            K_[c * m_ + y] += a;
            K_[y * m_ + c] += a;
            k_[c] += a * intercept;
            for (std::size_t j = 0; j < p; ++j) K_[c * m_ + std::size_t(P_[j])] -= a * b_[j];
        }
    }

    // Row i of the Cholesky factor of a matrix of size p; entry(j) is its element (i, j).
    template <class F>
    static void factor_row(std::size_t i, std::size_t p, F&& entry, std::vector<double>& L) {
        for (std::size_t j = 0; j <= i; ++j) {
            double t = entry(j);
            for (std::size_t q = 0; q < j; ++q) t -= L[i * p + q] * L[j * p + q];
            L[i * p + j] = j < i ? t / L[j * p + j] : std::sqrt(t);
        }
    }
    static void solve(const std::vector<double>& L, std::size_t p, double* x) {
        for (std::size_t i = 0; i < p; ++i) {
            for (std::size_t j = 0; j < i; ++j) x[i] -= L[i * p + j] * x[j];
            x[i] /= L[i * p + i];
        }
    }
    static void solve_transposed(const std::vector<double>& L, std::size_t p, double* x) {
        for (std::size_t i = p; i-- > 0;) {
            for (std::size_t j = i + 1; j < p; ++j) x[i] -= L[j * p + i] * x[j];
            x[i] /= L[i * p + i];
        }
    }

    // ---- cells

    // The missing columns of a pattern: C of numbers, D of categorical nodes.
    std::vector<std::size_t> C_, D_;
    std::vector<double> factor_;  // Cholesky factor of K_CC
    std::vector<double> W_;       // its inverse times K_CD, by columns of D
    std::vector<double> M_;       // K_DD − K_DC K_CC⁻¹ K_CD
    std::vector<double> u_, l_, xD_, log_weight_;

    void take_pattern(const IncompleteRow& r) {
        C_.clear();
        D_.clear();
        for (std::size_t i = r.first; i < r.last; ++i) {
            const int v = holes_[i].node;
            for (int c = begin_[v]; c < begin_[v + 1]; ++c) (is_categorical(v) ? D_ : C_).push_back(std::size_t(c));
        }
        const std::size_t c = C_.size(), d = D_.size();
        factor_.resize(c * c);
        for (std::size_t i = 0; i < c; ++i)
            factor_row(i, c, [&](std::size_t j) { return K_[C_[i] * m_ + C_[j]]; }, factor_);
        W_.resize(c * d);
        M_.resize(d * d);
        for (std::size_t i = 0; i < d; ++i) {
            for (std::size_t j = 0; j < c; ++j) W_[i * c + j] = K_[D_[i] * m_ + C_[j]];
            solve(factor_, c, W_.data() + i * c);  // W_ is empty if no number is missing
            for (std::size_t j = 0; j <= i; ++j) {
                double t = K_[D_[i] * m_ + D_[j]];
                for (std::size_t q = 0; q < c; ++q) t -= W_[i * c + q] * W_[j * c + q];
                M_[i * d + j] = M_[j * d + i] = t;
            }
        }
    }
    void draw_row(const IncompleteRow& r, double* x) {
        const std::size_t c = C_.size(), d = D_.size();
        u_.resize(c);
        xD_.resize(d);
        for (std::size_t i = 0; i < d; ++i) xD_[i] = std::exchange(x[D_[i]], 0.0);
        for (std::size_t column : C_) x[column] = 0;
        for (std::size_t i = 0; i < c; ++i) u_[i] = residual(C_[i], x);
        solve(factor_, c, u_.data());
        if (d) draw_levels(r, x);
        epsilon_.resize(c);
        fill_normal(rng_, c, epsilon_.data());
        for (std::size_t i = 0; i < c; ++i) u_[i] += epsilon_[i];
        solve_transposed(factor_, c, u_.data());
        for (std::size_t i = 0; i < c; ++i) x[C_[i]] = u_[i];
    }
    double residual(std::size_t column, const double* x) const {
        double out = k_[column];
        const double* row = &K_[column * m_];
        for (std::size_t j = 0; j < m_; ++j) out -= row[j] * x[j];
        return out;
    }
    // One missing level after another, given the others and the observed cells.
    void draw_levels(const IncompleteRow& r, double* x) {
        const std::size_t c = C_.size(), d = D_.size();
        l_.resize(d);
        for (std::size_t i = 0; i < d; ++i) {
            l_[i] = residual(D_[i], x);
            for (std::size_t q = 0; q < c; ++q) l_[i] -= W_[i * c + q] * u_[q];
        }
        std::size_t at = 0;  // of the node's columns in D
        for (std::size_t hole = r.first; hole < r.last; ++hole) {
            const int v = holes_[hole].node;
            if (!is_categorical(v)) continue;
            const std::size_t w = width(v);
            --counts_[v][std::size_t(codes_[hole])];
            weigh_levels(v, at);
            const std::size_t level = draw_by_log_weight(rng_, log_weight_);
            ++counts_[v][level];
            codes_[hole] = double(level);
            std::copy_n(point(v, level), w, &xD_[at]);
            at += w;
        }
        for (std::size_t i = 0; i < d; ++i) {
            x[D_[i]] = xD_[i];
            for (std::size_t q = 0; q < c; ++q) u_[q] -= W_[i * c + q] * xD_[i];
        }
    }
    void weigh_levels(int v, std::size_t at) {
        const std::size_t w = width(v), d = D_.size();
        log_weight_.resize(std::size_t(levels(v)));
        for (std::size_t level = 0; level < log_weight_.size(); ++level) {
            const double* e = point(v, level);
            double t = fast_log(counts_[v][level] + 1.0 / double(log_weight_.size())) - log_marginal(v, level);
            for (std::size_t i = 0; i < w; ++i) {
                double slope = l_[at + i];
                for (std::size_t j = 0; j < d; ++j)
                    slope -= M_[(at + i) * d + j] * (j < at || j >= at + w ? xD_[j] : e[j - at] / 2);
                t += e[i] * slope;
            }
            log_weight_[level] = t;
        }
    }
    // log F of the column v alone with one row more of this level, up to a constant: −(α_w − m + w + N) / 2 · log
    // |R_vv|.
    double log_marginal(int v, std::size_t added) {
        const std::size_t w = width(v);
        std::vector<double>&A = marginal_, &s = marginal_sum_;
        A.assign(w * w, 0.0);
        s.assign(w, 0.0);
        for (std::size_t level = 0; level < counts_[v].size(); ++level) {
            const double count = counts_[v][level] + double(level == added);
            const double* e = point(v, level);
            for (std::size_t i = 0; i < w; ++i) {
                s[i] += count * e[i];
                for (std::size_t j = 0; j <= i; ++j) A[i * w + j] += count * e[i] * e[j];
            }
        }
        double log_determinant = 0;
        for (std::size_t i = 0; i < w; ++i) {
            for (std::size_t j = 0; j <= i; ++j) A[i * w + j] += double(i == j) * prior_.scale - s[i] * s[j] / weight();
            factor_row(i, w, [&](std::size_t j) { return A[i * w + j]; }, A);
            log_determinant += 2 * fast_log(A[i * w + i]);
        }
        return -0.5 * (prior_.alpha_w - double(m_) + double(w) + double(rows_)) * log_determinant;
    }
    std::vector<double> marginal_, marginal_sum_;
};

}  // namespace czz
