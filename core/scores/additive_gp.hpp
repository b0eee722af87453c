// The order-averaged additive Gaussian process score. Let ℓ(i | P) be the log marginal likelihood of the regression of
// node i on features of the nodes P. The set function is the average over all orders of the complete DAG on S,
//
//   F(S) = log( 1/|S| Σ_{i ∈ S} exp(F(S \ i) + ℓ(i | S \ i)) ).
//
// A regression has prior variances V of its coefficients and a common noise with an inverse Wishart prior. With Z the
// features of P, Y the d columns of node i, M = Z'Z + V⁻¹ and B = Z'Y,
//
//   ℓ = −d/2 log |VM| − (d + N)/2 log |I + Y'Y − B'M⁻¹B| + log Γ_d((d + N)/2) − log Γ_d(d/2) − N d/2 log π,
//
// averaged over a few choices of features and variances. Eliminating [M | Z'Y] gives it for several nodes i
// outside P at once. Only the Gram matrices of the features are needed.
//
// Sets of more than `most` + 1 nodes, families of more than `most` parents, are excluded: F is −kExcluded times the
// square of the excess, so that the score stays finite and score-equivalent (the largest family of a DAG is that of all
// DAGs of its class).
#pragma once
#include "base/math.hpp"
#include "scores/set_function.hpp"
#include <cmath>

namespace czz {

// The features of all nodes at one length scale: node v has the columns begin[v] .. begin[v + 1].
struct FeatureGrams {
    std::vector<int> begin;
    std::vector<char> linear;    // whether a feature has the variance of linear terms
    std::vector<double> ZZ, ZY;  // products with features and with responses, by rows
};

// One choice of features and variances; if `other` is 0, only linear features are used.
struct FeatureChoice {
    int grams;
    double linear, other;
};

class AdditiveGP final : public SetFunction {
    static constexpr double kExcluded = 1e9;
    static constexpr int kFewNodes = 32;
    static constexpr std::size_t kMostBytes = std::size_t(1) << 29;

    std::vector<int> begin_;  // the responses of v: begin_[v] .. begin_[v + 1]
    std::vector<double> YY_;
    std::vector<FeatureGrams> grams_;
    std::vector<FeatureChoice> choices_;
    double rows_;
    std::size_t most_;
    std::vector<double> constant_;  // of each node, without features
    // Few nodes share their regressions: ℓ(i | P) is computed for all i at once. Of many nodes, each has its own.
    int group_;
    std::vector<std::unique_ptr<SetCache>> regressions_;  // by group of nodes

  public:
    AdditiveGP(std::vector<int> begin, std::vector<double> YY, std::vector<FeatureGrams> grams,
               std::vector<FeatureChoice> choices, double rows, int most)
        : SetFunction(int(begin.size()) - 1), begin_(std::move(begin)), YY_(std::move(YY)), grams_(std::move(grams)),
          choices_(std::move(choices)), rows_(rows), most_(std::size_t(most)), constant_(std::size_t(n())),
          group_(n() <= kFewNodes ? n() : 1) {
        for (int first = 0; first < n(); first += group_)
            regressions_.push_back(
                std::make_unique<SetCache>(n(), std::size_t(group_), kMostBytes / std::size_t(n() / group_)));
        for (int v = 0; v < n(); ++v) {
            const int d = width(v);
            double sum = -rows_ * d / 2 * std::log(M_PI);
            for (int j = 0; j < d; ++j) sum += std::lgamma((d + rows_ - j) / 2) - std::lgamma((d - j) / 2.0);
            constant_[std::size_t(v)] = sum;
        }
    }

  protected:
    std::vector<double> compute(const std::vector<NodeSet>& sets) const override {
        std::vector<double> out;
        for (const NodeSet& S : sets) out.push_back(value(S));
        return out;
    }

  private:
    int width(int v) const { return begin_[std::size_t(v) + 1] - begin_[std::size_t(v)]; }

    double value(const NodeSet& S) const {
        if (S.size() > most_ + 1) return -kExcluded * std::pow(double(S.size() - most_ - 1), 2);
        std::vector<NodeSet> smaller;
        for (int i : S) smaller.push_back(without(S, i));
        std::vector<double> terms = values(smaller), of_group;
        of_group.resize(std::size_t(group_));
        for (std::size_t k = 0; k < S.size(); ++k) {
            const int first = S[k] / group_ * group_;
            SetCache& known = *regressions_[std::size_t(first / group_)];
            if (!known.find(smaller[k], of_group.data())) {
                of_group = regressions(smaller[k], first);
                known.insert(smaller[k], of_group.data());
            }
            terms[k] += of_group[std::size_t(S[k] - first)];
        }
        return log_mean(terms);
    }

    static double log_mean(const std::vector<double>& logs) {
        const double top = *std::max_element(logs.begin(), logs.end());
        double sum = 0;
        for (double each : logs) sum += std::exp(each - top);
        return top + std::log(sum / double(logs.size()));
    }

    // ℓ(i | P) for the nodes i of a group that are outside P; 0 for the others.
    std::vector<double> regressions(const NodeSet& P, int group) const {
        std::vector<double> logs, space, residual, out;
        out.resize(std::size_t(group_));
        std::vector<std::vector<double>> by_choice;
        for (const FeatureChoice& choice : choices_) {
            by_choice.push_back(regressions(P, group, choice, space, residual));
            if (P.empty()) break;  // all choices are the same
        }
        logs.resize(by_choice.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            if (std::binary_search(P.begin(), P.end(), group + int(i))) continue;
            for (std::size_t c = 0; c < logs.size(); ++c) logs[c] = by_choice[c][i];
            out[i] = log_mean(logs);
        }
        return out;
    }

    std::vector<double> regressions(const NodeSet& P, int group, const FeatureChoice& choice, std::vector<double>& A,
                                    std::vector<double>& R) const {
        const FeatureGrams& g = grams_[std::size_t(choice.grams)];
        const std::size_t features = g.linear.size(), all = std::size_t(begin_.back());
        const std::size_t begin = std::size_t(begin_[std::size_t(group)]);
        const std::size_t D = std::size_t(begin_[std::size_t(group + group_)]) - begin;  // responses of the group
        std::vector<std::size_t> columns;
        for (int v : P)
            for (int c = g.begin[std::size_t(v)]; c < g.begin[std::size_t(v) + 1]; ++c)
                if (choice.other > 0 || g.linear[std::size_t(c)]) columns.push_back(std::size_t(c));
        const std::size_t k = columns.size(), stride = k + D;
        A.resize(k * stride);
        double log_det = 0;  // log |VM|
        for (std::size_t i = 0; i < k; ++i) {
            const double variance = g.linear[columns[i]] ? choice.linear : choice.other;
            double* row = &A[i * stride];
            for (std::size_t j = i; j < k; ++j) row[j] = g.ZZ[columns[i] * features + columns[j]];
            row[i] += 1 / variance;
            std::copy_n(&g.ZY[columns[i] * all + begin], D, row + k);
            log_det += std::log(variance);
        }
        for (std::size_t i = 0; i < k; ++i) {  // A becomes [U | U'⁻¹ Z'Y] with U'U = M
            double* pivot = &A[i * stride];
            log_det += std::log(pivot[i]);
            const double scale = 1 / std::sqrt(pivot[i]);
            for (std::size_t j = i; j < stride; ++j) pivot[j] *= scale;
            for (std::size_t r = i + 1; r < k; ++r) {
                double* row = &A[r * stride];
                const double factor = pivot[r];
                for (std::size_t j = r; j < stride; ++j) row[j] -= factor * pivot[j];
            }
        }
        std::vector<double> out(static_cast<std::size_t>(group_));
        for (int v = group; v < group + group_; ++v) {
            if (std::binary_search(P.begin(), P.end(), v)) continue;
            const std::size_t d = std::size_t(width(v)), first = std::size_t(begin_[std::size_t(v)]);
            R.assign(d * d, 0.0);
            for (std::size_t a = 0; a < d; ++a)
                for (std::size_t b = a; b < d; ++b) R[a * d + b] = YY_[(first + a) * all + first + b] + (a == b);
            for (std::size_t i = 0; i < k; ++i) {
                const double* w = &A[i * stride + k + first - begin];
                for (std::size_t a = 0; a < d; ++a)
                    for (std::size_t b = a; b < d; ++b) R[a * d + b] -= w[a] * w[b];
            }
            double rest = 0;  // log |R|
            for (std::size_t a = 0; a < d; ++a) {
                rest += std::log(R[a * d + a]);
                for (std::size_t r = a + 1; r < d; ++r) {
                    const double factor = R[a * d + r] / R[a * d + a];
                    for (std::size_t b = r; b < d; ++b) R[r * d + b] -= factor * R[a * d + b];
                }
            }
            out[std::size_t(v - group)] =
                constant_[std::size_t(v)] - double(d) / 2 * log_det - (double(d) + rows_) / 2 * rest;
        }
        return out;
    }
};

}  // namespace czz
