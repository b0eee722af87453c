// The Gaussian BIC of MAGs: a sum over districts, fitted once per class.
//
// A district D with its parents outside, these complete among themselves, is again a MAG: the nodes outside have only
// ancestors outside and no spouses. Its maximised likelihood is the term of the district times a saturated one. As the
// likelihood can have several maxima, fits of Markov equivalent districts could stop at different ones. So the value is
// kept by the class of this graph, and a new class is fitted in a member in which no single <-> can become an arrow
// within the class; single changes lead there (Zhang & Spirtes 2005).
#pragma once
#include "ancestral/district_fit.hpp"
#include "ancestral/mag_class.hpp"
#include "ancestral/mag_score.hpp"
#include "ancestral/remembered_values.hpp"

namespace czz {

class DistrictScore final : public MagScore {
    const int n_;
    const std::vector<double> covariance_;
    const double rows_, penalty_, tolerance_;
    const int starts_;
    DistrictFit fit_;
    RememberedValues districts_, classes_, pieces_;  // by district with its edges; by class; by fitted district
    u64 fits_ = 0;

    double bic(double deviance, int parameters) const {
        return -(rows_ * deviance + penalty_ * parameters * fast_log(rows_)) / 2;
    }
    // Of a district of one node: the local score of GaussianBIC.
    double single(int y, MagSet parents) const {
        int column[kMostMagNodes], size = 0;
        each_node(parents, [&](int p) { column[size++] = p; });
        auto cov = [&](int a, int b) { return covariance_[std::size_t(a * n_ + b)]; };
        SmallCholesky gram;
        double product[kMostMagNodes], slope[kMostMagNodes], variance = cov(y, y);
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j <= i; ++j) gram.a[i][j] = cov(column[i], column[j]);
            product[i] = slope[i] = cov(column[i], y);
        }
        if (!gram.factor(size)) return -std::numeric_limits<double>::infinity();
        gram.solve(size, slope);
        for (int i = 0; i < size; ++i) variance -= slope[i] * product[i];
        return bic(1 + fast_log(variance), 1 + size);
    }
    double fitted(const Mag& g, MagSet district) {
        int ends = 0;
        each_node(district,
                  [&](int v) { ends += 2 * popcount(g.parents[Mag::at(v)]) + popcount(g.spouses[Mag::at(v)]); });
        double best = fit_.deviance(g, district, rows_, tolerance_, false);
        if (starts_ > 1) best = std::min(best, fit_.deviance(g, district, rows_, tolerance_, true));
        ++fits_;
        return bic(best, popcount(district) + ends / 2);
    }

    // The district with its parents, complete among themselves; nodes are numbered by their rank in `nodes`.
    static Mag with_parents(const Mag& g, MagSet district, MagSet nodes) {
        auto rank = [&](int v) { return popcount(nodes & (only(v) - 1)); };
        Mag h(popcount(nodes));
        const MagSet outside = nodes & ~district;
        each_node(outside,
                  [&](int v) { each_node(outside & ~up_to(v), [&](int w) { h.put(rank(v), rank(w), kForth); }); });
        each_node(district, [&](int v) {
            each_node(g.parents[Mag::at(v)],
                      [&](int p) { p < v ? h.put(rank(p), rank(v), kForth) : h.put(rank(v), rank(p), kBack); });
            each_node(g.spouses[Mag::at(v)] & ~up_to(v), [&](int s) { h.put(rank(v), rank(s), kSpouses); });
        });
        h.close();
        return h;
    }
    // An equivalent MAG in which no single <-> can become an arrow.
    static Mag with_fewest_spouses(Mag h, u64 key) {
        for (bool changed = true; changed;) {
            changed = false;
            for (int x = 0; x < h.n; ++x)
                for (int y = x + 1; y < h.n; ++y)
                    for (const PairState to : {kForth, kBack}) {
                        if (h.state(x, y) != kSpouses) break;
                        Mag f = h;
                        if (!f.change(x, y, to) || class_key(f) != key) continue;
                        h = f;
                        changed = true;
                    }
        }
        return h;
    }
    double by_class(const Mag& g, MagSet district) {
        MagSet nodes = district;
        each_node(district, [&](int v) { nodes |= g.parents[Mag::at(v)]; });
        const Mag h = with_parents(g, district, nodes);
        const u64 key = class_key(h), name = mix64(key ^ nodes) | 1;
        double sum = 0;
        if (const double* known = classes_.find(name)) {
            sum = *known;
        } else {
            const Mag reduced = with_fewest_spouses(h, key);
            Mag own(n_);  // with the columns' numbers again
            auto columns = [&](MagSet ranks) {
                MagSet set = 0;
                each_node(ranks, [&](int r) { set |= only(nth_node(nodes, r)); });
                return set;
            };
            for (int r = 0; r < h.n; ++r) {
                const int v = nth_node(nodes, r);
                own.parents[Mag::at(v)] = columns(reduced.parents[Mag::at(r)]);
                own.spouses[Mag::at(v)] = columns(reduced.spouses[Mag::at(r)]);
            }
            for (MagSet left = nodes; left;) {
                const MagSet part = own.district(std::countr_zero(left));
                sum += piece(own, part);
                left &= ~part;
            }
            classes_.add(name, sum);
        }
        // Without the saturated term of the parents.
        MagSet before = 0;
        each_node(nodes & ~district, [&](int v) {
            sum -= single(v, before);
            before |= only(v);
        });
        return sum;
    }
    double piece(const Mag& g, MagSet district) {
        const int v = std::countr_zero(district);
        if (district == only(v)) return single(v, g.parents[Mag::at(v)]);
        const u64 name = name_of(g, district);
        if (const double* known = pieces_.find(name)) return *known;
        return pieces_.add(name, fitted(g, district));
    }

  public:
    // `offset` is added to every total: the columns' log variances, which correlations lack.
    DistrictScore(int n, const double* covariance, double rows, double penalty, double offset, double tolerance,
                  int starts)
        : MagScore(n, offset), n_(n), covariance_(covariance, covariance + n * n), rows_(rows), penalty_(penalty),
          tolerance_(tolerance), starts_(starts), fit_(n, covariance_.data()) {}

    u64 fits() const override { return fits_; }
    double district(const Mag& g, MagSet district) override {
        const u64 name = name_of(g, district);
        if (const double* known = districts_.find(name)) return *known;
        const int v = std::countr_zero(district);
        return districts_.add(name, district == only(v) ? single(v, g.parents[Mag::at(v)]) : by_class(g, district));
    }
};

}  // namespace czz
