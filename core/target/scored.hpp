// A scored target: the rates of all operators, row by row, from cached rows of score differences.
#pragma once
#include "base/rng.hpp"
#include "base/weighted_choice.hpp"
#include "graph/operators.hpp"
#include "target/insert_block.hpp"
#include "target/restriction.hpp"
#include "target/row_rates.hpp"
#include "target/scored_draw.hpp"
#include "target/scored_state.hpp"

namespace czz {

template <int W>
class ScoredTarget {
    using B = Bits<W>;
    using G = Cpdag<W>;
    friend struct ScoredState<ScoredTarget>;
    friend struct ScoredDraw<ScoredTarget>;

    using Block = InsertBlock<W>;
    struct Row {
        B parents, neighbors;
        std::vector<Block> blocks;
    };

    static constexpr int kSmall = 32;  // rows of at most this many columns stay in the cache and need no prefetching
    const Score* score_;               // kept alive by the settings of the chain
    int n_, max_degree_;
    OperatorMasks<W> masks_;
    RowRates<W> rates_;
    RowCache<W> cache_;
    B full_;                                    // saturated nodes
    B shut_;                                    // their places; none in listed rows, whose blocks leave them out of X
    double insert_unit_ = 0, delete_unit_ = 0;  // binary exponents of the units of the two below
    Weights inserts_, deletes_;
    std::vector<Row> rows_;
    std::vector<Block> next_;
    std::vector<u64> expected_;  // hashes of rows; see fit_with_prefetch
    std::vector<B> watched_;     // by row: the candidates that are likely in one of its blocks; empty: all are likely
    B joined_;                   // if there are unlikely inserts: nodes with an edge that was added or removed
    Reach<W> reach_;

  public:
    ScoredTarget(const Score& score, const ProcessSettings& process, int max_degree, OperatorMasks<W> masks,
                 std::size_t cache_bytes)
        : score_(&score), n_(score.n()), max_degree_(max_degree), masks_(std::move(masks)),
          rates_(score, process, masks_.remove), cache_(n_, rates_.listed, !rates_.rates_only, cache_bytes),
          inserts_(n_), deletes_(n_), rows_(std::size_t(n_)), watched_(rates_.listed ? std::size_t(n_) : 0) {}

    const RowCache<W>& cache() const { return cache_; }
    const RowRates<W>& rates() const { return rates_; }
    const std::vector<Block>& blocks(int y) const { return rows_[y].blocks; }
    B candidates_of(const Block& b) const { return rates_.nodes_at(cache_.row(b.row), b.X - shut_); }
    const ProcessSettings& process() const { return rates_.process(); }
    // If not null, rows need no update when other nodes than those watched become descendants, or no longer are.
    const std::vector<B>* watched() const { return watched_.empty() ? nullptr : &watched_; }
    // Whether an insert is refused when it is proposed: an unlikely one that does not exist.
    bool refuses(const G& g, const Operator<W>& op) {
        if (!rates_.listed || !op.insert) return false;
        if (full_.test(op.x) || g.desc[op.y].test(op.x) || g.pa[op.y].test(op.x) || g.ne[op.y].test(op.x)) return true;
        if (!masks_.insert.empty() && masks_.insert[std::size_t(op.y)].test(op.x)) return true;
        if (!(g.ne[op.y] - op.K).any()) return false;
        reach_.find(g, op.y);
        return !reach_.outside(B::one(op.x), op.K).any();
    }
    // Before the first rebuild(), instead of a target that is no longer used.
    void take_memory(ScoredTarget& other) { cache_.take_memory(other.cache_); }
    // The score of a class, from the local scores of its member DAG.
    double total(const G& g) const {
        double sum = 0;
        for (int v = 0; v < n_; ++v) sum += score_->local(v, g.dag_pa[v].list());
        return sum;
    }
    double insert_total() { return inserts_.total(); }
    double delete_total() { return deletes_.total(); }
    // Natural logarithms of the units of the totals. With the sqrt balance a prior step is a common factor.
    double insert_log_scale(const G& g) const { return insert_unit_ * kLn2 + rates_.outer_step(g.edges, 1); }
    double delete_log_scale(const G& g) const { return delete_unit_ * kLn2 + rates_.outer_step(g.edges, -1); }

    void rebuild(const G& g) {
        set_full(g);
        joined_ = g.all;
        rates_.set_steps(g.edges);
        for (Row& r : rows_) unpin_all(r.blocks);
        for (int y = 0; y < n_; ++y) fit_row(g, y);
        choose_units();
    }
    // After operators, with what they changed in g.dirty, g.reshaped and g.changes.
    void update(const G& g) {
        B rows = g.dirty;
        if (rates_.listed) {
            joined_.clear();
            for (const PairChange& c : g.changes) {
                joined_.set(c.a);
                joined_.set(c.b);
            }
            rows |= joined_;
        }
        if (max_degree_ < n_)
            for (const PairChange& c : g.changes)
                if (c.before == kNone || c.after == kNone)
                    for (int v : {c.a, c.b}) mark_saturation(g, v, rows);
        fit_rows(g, rows);
    }
    // After any change of class, with its pairs in g.changes. Rows with the same parents keep the blocks they can.
    void replace(const G& g) {
        B rows = g.all;
        joined_ = g.all;
        if (max_degree_ < n_)
            for (int v = 0; v < n_; ++v) mark_saturation(g, v, rows);
        fit_rows(g, rows);
    }

    // Its saved state: scored_state.hpp.
    template <class A>
    void state(A& a, const G& g) {
        ScoredState<ScoredTarget>{*this}.state(a, g);
    }

    // The operator at position u in [0, total) of the cumulative rates of the inserts or the deletes: scored_draw.hpp.
    DrawnOperator<W> draw(const G& g, bool insert, double u, Rng&) {
        return ScoredDraw<ScoredTarget>{*this}.at(g, insert, u);
    }

    // Calls f with every operator and the natural logarithm of its rate.
    template <class F>
    void each_rate(const G& g, F&& f) {
        for (int y = 0; y < n_; ++y)
            for (const Block& b : rows_[y].blocks) {
                const CachedRow<W>& row = cache_[b.row];
                const double up = row.insert_exponent * kLn2 + rates_.outer_step(g.edges, 1);
                const double down = row.delete_exponent * kLn2 + rates_.outer_step(g.edges, -1);
                const double* rate = rates_.all_rates(row);
                rates_.nodes_at(row, b.X - shut_).each([&](int x) {
                    f(Operator<W>{true, x, y, b.K}, std::log(rate[x]) + up);
                });
                rates_.removable(g.pa[y] | b.K, y).each([&](int x) {
                    f(Operator<W>{false, x, y, b.K}, std::log(rates_.delete_rate(row, x)) + down);
                });
            }
    }
    // Calls f with every operator, its score difference and the natural logarithm of its rate, however small.
    template <class F>
    void each_difference(const G& g, F&& f) {
        for (int y = 0; y < n_; ++y)
            for (const Block& b : rows_[y].blocks) {
                const double* difference = rates_.all_differences(cache_[b.row]);
                auto add = [&](bool insert, int x) {
                    f(Operator<W>{insert, x, y, b.K}, difference[x],
                      rates_.log_rate(difference[x], g.edges, insert ? 1 : -1));
                };
                rates_.nodes_at(cache_[b.row], b.X - shut_).each([&](int x) { add(true, x); });
                rates_.removable(g.pa[y] | b.K, y).each([&](int x) { add(false, x); });
            }
    }
    // The summed rates of row y, as natural logarithms.
    std::pair<double, double> row_log_rates(const G& g, int y) const {
        return {std::log(inserts_[y]) + insert_log_scale(g), std::log(deletes_[y]) + delete_log_scale(g)};
    }

  private:
    // 0 is out of range too: either there are no operators, or all rates have become too small for the units.
    static bool out_of_range(double total) { return !(total > 0x1p-400 && total < 0x1p+400); }

    void set_full(const G& g) {
        full_ = saturated(g, max_degree_);
        if (!rates_.listed) shut_ = full_;
    }
    // The places of a block with these candidates; unlikely inserts are tested when they are proposed.
    B places_of(const CachedRow<W>& row, const B& nodes) const {
        if (!rates_.listed) return nodes;
        return full_.test(row.y) ? B{} : rates_.places_of(row, max_degree_ < n_ ? nodes - full_ : nodes);
    }

    // Whether a sum that was kept is that of the rates at these places.
    bool agrees(const CachedRow<W>& row, const B& open, const WideSum& kept, double peak) const {
        const WideSum sum = sum_of_places(row.rate, row.inserts, open);
        const double value = sum.value(), difference = std::abs(kept.value() - value);
        return std::isfinite(peak) && peak >= kept.value() && kept.value() >= 0 && difference <= 0x1p-40 * peak &&
               (value > 0) == (kept.value() > 0);
    }

    void weigh(Block& b) {
        const CachedRow<W>& r = cache_[b.row];
        b.unit = power_of_two(r.insert_exponent - insert_unit_);
        b.inserts = b.total * b.unit;
        b.deletes = r.delete_sum * power_of_two(r.delete_exponent - delete_unit_);
    }
    void total_row(int y) {
        double up = 0, down = 0;
        for (const Block& b : rows_[y].blocks) {
            up += b.inserts;
            down += b.deletes;
        }
        inserts_.set(y, up);
        deletes_.set(y, down);
    }
    // Chooses units in which the largest block is about 1. What then underflows is below 2^-1000 of the total.
    void choose_units() {
        insert_unit_ = delete_unit_ = kMinusInf;
        for (Row& r : rows_)
            for (Block& b : r.blocks) {
                const CachedRow<W>& row = cache_[b.row];
                if (b.total > 0) insert_unit_ = std::max(insert_unit_, row.insert_exponent + std::ilogb(b.total));
                if (row.delete_sum > 0) delete_unit_ = std::max(delete_unit_, row.delete_exponent);
            }
        if (insert_unit_ == kMinusInf) insert_unit_ = 0;
        if (delete_unit_ == kMinusInf) delete_unit_ = 0;
        for (int y = 0; y < n_; ++y) {
            for (Block& b : rows_[y].blocks) weigh(b);
            total_row(y);
        }
    }

    // ---- rows
    void fit_rows(const G& g, const B& rows) {
        if (rates_.prior_inside) {
            rates_.set_steps(g.edges);
            for (int r = 0; r < n_; ++r) {
                for (Block& b : rows_[r].blocks) {
                    renew_rates(b);
                    begin(b);
                }
                total_row(r);
            }
        }
        if (n_ > kSmall) {
            fit_with_prefetch(g, rows);
        } else {
            rows.each([&](int r) { fit_row(g, r); });
        }
        if (out_of_range(inserts_.total()) || out_of_range(deletes_.total())) choose_units();
    }
    // Rows that may look up new cached rows come last: these cached rows are prefetched while the others are fitted.
    void fit_with_prefetch(const G& g, const B& rows) {
        const B reshaped = rows & g.reshaped;
        expect_rows(g, reshaped);
        const B others = rows - reshaped;
        const int half = others.count() / 2;
        int done = 0;
        auto fetch = [&] {
            for (u64 h : expected_) cache_.prefetch_row(h);
        };
        others.each([&](int y) {
            if (done++ == half) fetch();
            fit_row(g, y);
        });
        if (done == 0) fetch();
        reshaped.each([&](int y) { fit_row(g, y); });
    }
    // Prefetches the index slots of rows that will be looked up: for new parents, these alone and with each neighbor;
    // else the parents with each new neighbor.
    void expect_rows(const G& g, const B& rows) {
        expected_.clear();
        rows.each([&](int y) {
            const Row& r = rows_[y];
            const bool same_parents = r.parents == g.pa[y];
            if (!same_parents) expected_.push_back(cache_.prefetch_slot(y, g.pa[y]));
            (same_parents ? g.ne[y] - r.neighbors : g.ne[y]).each([&](int v) {
                B S = g.pa[y];
                S.set(v);
                expected_.push_back(cache_.prefetch_slot(y, S));
            });
        });
    }
    u32 pin(int y, const B& S) {
        return cache_.pin(y, S, [&](CachedRow<W>& row) { rates_.compute(row); });
    }
    void unpin_all(std::vector<Block>& blocks) {
        for (Block& b : blocks) cache_.unpin(b.row);
        blocks.clear();
    }
    // The candidates for inserts into y without regard to cliques.
    B candidates(const G& g, int y) const {
        if (full_.test(y)) return {};
        const B X = base(g, y);
        return masks_.insert.empty() ? X : X - masks_.insert[std::size_t(y)];
    }
    // The candidates for the valid inserts (K, x) into y, once reach_ is that of y.
    B reached(const G& g, int y, const B& X, const B& K) const {
        const B found = reach_.outside(X, K);
        return masks_.above.empty() ? found : found - masks_.refused(y, g.ne[y] - K);
    }
    // A listed row whose own edges are the same: only likely inserts may have become valid, or invalid.
    void fit_likely(const G& g, int y) {
        if (full_.test(y)) return;
        B X;
        for (int i = 0; i < watched_[y].words(); ++i)  // few words have members
            if (const u64 some = watched_[y].word(i)) {
                X.at(i) = some & ~(g.desc[y].word(i) | g.pa[y].word(i) | g.ne[y].word(i) | full_.word(i));
                if (!masks_.insert.empty()) X.at(i) &= ~masks_.insert[std::size_t(y)].word(i);
            }
        const bool lines = g.ne[y].any() && X.any();
        if (lines) reach_.find(g, y);
        bool changed = false;
        for (Block& b : rows_[y].blocks)
            changed |= refit(b, places_of(cache_[b.row], lines ? reached(g, y, X, b.K) : X));
        if (changed) total_row(y);
    }
    void fit_row(const G& g, int y) {
        if (rates_.listed && !joined_.test(y) && !g.reshaped.test(y)) return fit_likely(g, y);
        Row& r = rows_[y];
        const B& N = g.ne[y];
        const B X = candidates(g, y);
        const bool lines = N.any() && X.any();
        if (lines) reach_.find(g, y);
        auto admissible = [&](const B& K, u32 row) { return places_of(cache_[row], lines ? reached(g, y, X, K) : X); };
        const bool built = !r.blocks.empty();
        const bool same_parents = built && r.parents == g.pa[y];
        if (built && (!g.reshaped.test(y) || (same_parents && same_cliques(g, r, N)))) {  // only the candidates changed
            bool changed = false;
            for (Block& b : r.blocks) changed |= refit(b, admissible(b.K, b.row));
            if (changed) total_row(y);
            return;
        }
        if (N.any() && g.degree[y] > kFewNeighbors) check_density(g, y);
        r.parents = g.pa[y];
        r.neighbors = N;
        next_.clear();
        Cliques<W> cliques(g, N);
        for (B K; cliques.next(K);) {
            Block* old = same_parents ? find(r.blocks, K) : nullptr;
            if (old) {
                next_.push_back(*old);
                cache_.pin(old->row);
                refit(next_.back(), admissible(K, old->row));
                continue;
            }
            next_.emplace_back();
            Block& b = next_.back();
            b.K = K;
            b.row = pin(y, r.parents | K);
            b.X = admissible(K, b.row);
            b.places = cache_[b.row].inserts;
            b.rate = cache_[b.row].rate;
            if (rates_.prior_inside) renew_rates(b);  // it may have been computed for another number of edges
            begin(b);
        }
        std::swap(r.blocks, next_);
        for (const Block& b : next_) cache_.unpin(b.row);
        watch(y);
        total_row(y);
    }
    void watch(int y) {
        if (!rates_.listed) return;
        watched_[y] = {};
        for (const Block& b : rows_[y].blocks) watched_[y] |= cache_[b.row].likely;
    }
    // Whether the cliques of Ne(y) are unchanged: no line among these neighbors was added or removed.
    bool same_cliques(const G& g, const Row& r, const B& N) const {
        if (!(r.neighbors == N)) return false;
        if (!N.any()) return true;
        for (const PairChange& c : g.changes)
            if ((c.before == kLine) != (c.after == kLine) && N.test(c.a) && N.test(c.b)) return false;
        return true;
    }
    static Block* find(std::vector<Block>& blocks, const B& K) {
        for (Block& b : blocks)
            if (b.K == K) return &b;
        return nullptr;
    }
    // If v became saturated, or no longer is, updates the rows that have v among their candidates.
    void mark_saturation(const G& g, int v, B& rows) {
        const bool closed = g.degree[v] >= max_degree_;
        if (closed == full_.test(v)) return;
        full_.flip(v);
        rows.set(v);
        if (rates_.listed) {
            for (int r = 0; r < n_; ++r)
                if (watched_[r].test(v)) rows.set(r);
            return;
        }
        shut_.flip(v);
        constexpr int kAhead = 4;
        for (int r = 0; r < n_; ++r) {
            if (r + 2 * kAhead < n_) __builtin_prefetch(rows_[r + 2 * kAhead].blocks.data());
            if (r + kAhead < n_) __builtin_prefetch(rows_[r + kAhead].blocks.front().rate + v);
            bool hit = false;
            for (Block& b : rows_[r].blocks)
                if (b.X.test(v)) {
                    b.sum.add(closed ? -b.rate[v] : b.rate[v]);
                    update_total(b);
                    hit = true;
                }
            if (hit) total_row(r);
        }
    }

    // ---- blocks
    // Sets new places: adds the rates of new ones, subtracts those of former ones.
    bool refit(Block& b, const B& X) {
        bool changed = false;
        for (int i = 0; i < b.words(); ++i) {
            const u64 old = b.X.word(i), now = X.word(i);
            if (old == now) continue;
            b.X.at(i) = now;
            changed = true;
            b.toggle(i, (old ^ now) & ~shut_.word(i), now);
        }
        if (changed) update_total(b);
        return changed;
    }
    // A new block. Its sum is not that of an earlier block with this row, whose units may have been others.
    void begin(Block& b) {
        b.add_up(shut_);
        weigh(b);
        update_total(b);
    }
    // A sum that has fallen far below its peak is computed from scratch. If the units of the row do not suit its
    // present candidates, others are chosen: rates change by an exact power of two, so only rates below 2^-500 of the
    // sum depend on the units.
    void update_total(Block& b) {
        b.total = b.sum.value();
        b.peak = std::max(b.peak, b.total);
        if (b.total < 0x1p-30 * b.peak) b.add_up(shut_);
        if (!(b.total > 0x1p-400 && b.total < 0x1p+400)) change_units(b);
        b.inserts = b.total * b.unit;
    }
    void change_units(Block& b) {
        const B X = b.X - shut_;
        if (!X.any()) return;
        rates_.change_units(cache_[b.row], X);
        b.rate = cache_[b.row].rate;
        b.add_up(shut_);
        weigh(b);
    }

    // Computes the rates again after a change of the prior step.
    void renew_rates(Block& b) {
        const B X = b.X - shut_;
        rates_.change_units(cache_[b.row], X.any() ? X : B::first_n(n_));
    }
};

}  // namespace czz
