// The uniform target: operators are counted row by row, never listed, so a jump costs polynomial time in any graph.
#pragma once
#include "base/rng.hpp"
#include "base/weighted_choice.hpp"
#include "graph/operators.hpp"
#include "target/process_settings.hpp"
#include "target/restriction.hpp"

namespace czz {

template <int W>
class UniformTarget {
    using B = Bits<W>;
    using G = Cpdag<W>;

    ProcessSettings process_;
    int max_degree_;
    OperatorMasks<W> masks_;
    B full_;
    Weights inserts_, deletes_;  // numbers of operators into each node, in units of 2^shift
    std::vector<double> power_;  // 2^(p - shift)
    int shift_ = 0;
    Split<W> split_;
    std::vector<double> cliques_;      // number of cliques of each share
    std::pair<double, double> plain_;  // log rates of an insert and a delete where the prior is linear

  public:
    UniformTarget(int n, const ProcessSettings& process, int max_degree, OperatorMasks<W> masks)
        : process_(process), max_degree_(max_degree), masks_(std::move(masks)), inserts_(n), deletes_(n),
          power_(std::size_t(n) + 1),
          plain_{log_balance(process, process.prior.slope), log_balance(process, -process.prior.slope)} {}

    const ProcessSettings& process() const { return process_; }

    double total(const G&) const { return 0; }  // of the score of a class
    void rebuild(const G& g) {
        full_ = saturated(g, max_degree_);
        int widest = 0;  // a count is below n^2 · 2^(1 + the largest |above|)
        for (int v = 0; v < g.n; ++v) widest = std::max(widest, g.above[v].count());
        shift_ = std::max(0, widest - 900);
        set_powers();
        for (int y = 0; y < g.n; ++y) row(g, y);
    }
    // After operators, with what they changed in g.dirty and g.changes.
    void update(const G& g) {
        B rows = g.dirty;
        if (max_degree_ < g.n)
            for (const PairChange& c : g.changes)
                if (c.before == kNone || c.after == kNone)
                    for (int v : {c.a, c.b}) mark_saturation(g, v, rows);
        rows.each([&](int r) { row(g, r); });
        const double both = inserts_.total() + deletes_.total();
        if (!(both < 0x1p+1000) || (shift_ > 0 && both < 0x1p+400)) rebuild(g);
    }
    void replace(const G& g) { rebuild(g); }
    double insert_total() { return inserts_.total(); }
    double delete_total() { return deletes_.total(); }
    // Natural logarithms of the units of the totals; the rate of an operator depends on the number of edges only.
    double insert_log_scale(const G& g) const { return shift_ * kLn2 + log_rate(g, 1); }
    double delete_log_scale(const G& g) const { return shift_ * kLn2 + log_rate(g, -1); }
    std::pair<double, double> row_log_rates(const G& g, int y) const {
        return {std::log(inserts_[y]) + insert_log_scale(g), std::log(deletes_[y]) + delete_log_scale(g)};
    }
    template <class F>
    void each_rate(const G& g, F&& f) {
        OperatorCursor<W> cursor(g, max_degree_);
        for (Operator<W> op; cursor.next(op);)
            if (const auto& masks = op.insert ? masks_.insert : masks_.remove; masks.empty() || !masks[op.y].test(op.x))
                f(op, log_rate(g, op.insert ? 1 : -1));
    }

    // Counts above 2^53 are rounded and may depend on the path, so they are saved. Refuses counts that are not those of
    // the class up to rounding.
    template <class A>
    void state(A& a, const G& g) {
        a(shift_, inserts_, deletes_);
        if constexpr (A::kLoads) {
            a.check(shift_ >= 0 && shift_ <= g.n && process_.prior.weight(g.edges) > kMinusInf);
            a.check(inserts_.valid(g.n) && deletes_.valid(g.n));
            full_ = saturated(g, max_degree_);
            set_powers();
            const Weights inserts = inserts_, deletes = deletes_;
            auto agree = [](double kept, double found) {
                return (kept > 0) == (found > 0) && std::abs(kept - found) <= 1e-9 * found;
            };
            for (int y = 0; y < g.n; ++y) {
                row(g, y);
                a.check(agree(inserts[y], inserts_[y]) && agree(deletes[y], deletes_[y]));
            }
            inserts_ = inserts;
            deletes_ = deletes;
            a.check(inserts_.total() + deletes_.total() < 0x1p+1000);
        }
    }

    // The operator at position u in [0, total) of the cumulative numbers of inserts or deletes.
    DrawnOperator<W> draw(const G& g, bool insert, double u, Rng& rng) {
        const Operator<W> op = insert ? draw_insert(g, u, rng) : draw_delete(g, u, rng);
        if (op.x < 0) throw std::logic_error("there is no such operator");
        return {op, 0};
    }

  private:
    double log_rate(const G& g, int by) const {
        if (process_.prior.table.empty()) return by > 0 ? plain_.first : plain_.second;
        return log_balance(process_, process_.prior.step(g.edges, by));
    }
    void set_powers() {
        for (int p = 0; p < int(power_.size()); ++p) power_[p] = std::ldexp(1.0, p - shift_);
    }
    double cliques(const G& g, const B& F) const {
        double c = power_[0];
        F.each([&](int v) { c += power_[(g.above[v] & F).count()]; });
        return c;
    }
    B candidates(const G& g, int y) const {
        B X = base(g, y) - full_;
        if (!masks_.insert.empty()) X -= masks_.insert[y];
        return X;
    }
    B removable(const B& nodes, int y) const { return masks_.remove.empty() ? nodes : nodes - masks_.remove[y]; }
    // The cliques of Ne(y) with last member v are v with any subset of the p nodes `under`: 2^p of them, with 2^p + p
    // 2^(p-1) members. This is the number of those members that can be removed from the parents of y, over 2^p.
    double members_per_clique(int y, int v, const B& under) const {
        if (masks_.remove.empty()) return 1 + 0.5 * under.count();
        return double(!masks_.remove[y].test(v)) + 0.5 * removable(under, y).count();
    }
    double split(const G& g, int y) {
        split_.find(g, y, candidates(g, y));
        cliques_.clear();
        double total = 0;
        for (const auto& s : split_.shares) {
            cliques_.push_back(cliques(g, s.free));
            total += cliques_.back() * s.X.count();
        }
        return total;
    }
    void row(const G& g, int y) {
        const bool closed = full_.test(y);
        const int parents = removable(g.pa[y], y).count();
        if (!g.ne[y].any()) {
            deletes_.set(y, parents * power_[0]);
            inserts_.set(y, closed ? 0 : candidates(g, y).count() * power_[0]);
            return;
        }
        double number = power_[0], members = 0;
        g.ne[y].each([&](int v) {
            const B under = g.above[v] & g.ne[y];
            const int p = under.count();
            number += power_[p];
            members += power_[p] * members_per_clique(y, v, under);
        });
        deletes_.set(y, number * parents + members);
        inserts_.set(y, closed ? 0 : split(g, y));
    }
    // If v became saturated, or no longer is, updates the rows that have v among their candidates.
    void mark_saturation(const G& g, int v, B& rows) {
        const bool closed = g.degree[v] >= max_degree_;
        if (closed == full_.test(v)) return;
        full_.flip(v);
        rows.set(v);
        const B untouched = g.all - full_ - rows - g.adjacent(v);
        untouched.each([&](int r) {
            if (g.desc[r].test(v) || (!masks_.insert.empty() && masks_.insert[r].test(v))) return;
            if (g.ne[r].any()) rows.set(r);
            else inserts_.add(r, closed ? -power_[0] : power_[0]);
        });
    }

    B draw_clique(const G& g, const B& F, double count, Rng& rng) const {
        double u = rng.uniform() * count - power_[0];
        if (u < 0) return {};
        int top = -1;
        F.each([&](int v) {
            if (u < 0) return;
            top = v;
            u -= power_[(g.above[v] & F).count()];
        });
        if (top < 0) return {};
        B K = rng.subset(g.above[top] & F);
        K.set(top);
        return K;
    }
    Operator<W> draw_insert(const G& g, double u, Rng& rng) {
        const int y = inserts_.pick(u);
        split(g, y);
        std::size_t j = 0;
        for (; j + 1 < split_.shares.size(); ++j) {
            const double c = cliques_[j] * split_.shares[j].X.count();
            if (u < c) break;
            u -= c;
        }
        const auto& s = split_.shares[j];
        const int x = s.X.nth(rng.below(s.X.count()));
        return {true, x, y, s.must | draw_clique(g, s.free, cliques_[j], rng)};
    }
    Operator<W> draw_delete(const G& g, double u, Rng& rng) {
        const int y = deletes_.pick(u);
        const B& N = g.ne[y];
        const B parents = removable(g.pa[y], y);
        const double number = cliques(g, N), arrows = number * parents.count();
        auto draw_arrow = [&]() -> Operator<W> {
            const int x = parents.nth(rng.below(parents.count()));
            return {false, x, y, draw_clique(g, N, number, rng)};
        };
        if (u < arrows || !N.any()) return draw_arrow();
        u -= arrows;
        int top = -1;
        N.each([&](int v) {
            if (u < 0 && top >= 0) return;
            const B under = g.above[v] & N;
            const double members = members_per_clique(y, v, under);
            if (members == 0) return;
            top = v;
            u -= power_[under.count()] * members;
        });
        if (top < 0) return draw_arrow();  // through rounding
        // Among the cliques with last member `top` and their members: top, or another one.
        const B under = g.above[top] & N, others = removable(under, y);
        const double own = masks_.remove.empty() || !masks_.remove[y].test(top);
        const int p = others.count();
        B K = rng.subset(under);
        int x = top;
        if (p && rng.uniform() * (own + 0.5 * p) >= own) K.set(x = others.nth(rng.below(p)));
        K.set(top);
        return {false, x, y, K};
    }
};

}  // namespace czz
