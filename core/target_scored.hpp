// A scored target: the rates of all operators, row by row, from cached rows of score differences.
#pragma once
#include "law.hpp"
#include "operators.hpp"
#include "rng.hpp"
#include "row_cache.hpp"
#include "score.hpp"
#include "weights.hpp"

namespace czz {

template <int W>
class ScoredTarget {
    using B = Bits<W>;
    using G = Cpdag<W>;
    using Sums = std::conditional_t<(W > 0), std::array<double, std::size_t(W > 0 ? W : 1)>, std::vector<double>>;

    // The operators (K, x) of one clique K: inserts for x in X (less the saturated nodes), deletes for x in S.
    struct Block {
        B K, X;
        u32 row;
        const double* rate;
        Sums sums;     // of the insert rates, a word of X each, in units of 2^insert_exponent
        double total;  // of all of them
    };
    struct Row {
        B parents;
        std::vector<Block> blocks;
    };

    int n_, words_, max_degree_;
    Law law_;
    bool prior_inside_;  // the prior step depends on the number of edges and does not factor out of the balance
    std::vector<B> forbidden_;
    std::unique_ptr<RowKernel> kernel_;
    RowCache<W> cache_;
    B full_;
    double insert_step_ = 0, delete_step_ = 0;            // prior steps inside the rates
    double insert_reference_ = 0, delete_reference_ = 0;  // binary exponents of the units of the two below
    Weights inserts_, deletes_;
    std::vector<Row> rows_;
    std::vector<Block> next_;
    Reach<W> reach_;
    std::vector<int> parents_;
    std::vector<double> log_rate_;

  public:
    double last_difference = 0;  // of the score, for the operator drawn last

    ScoredTarget(const Score& score, const Law& law, int max_degree, std::vector<B> forbidden, std::size_t cache_bytes)
        : n_(score.n()), words_((n_ + 63) / 64), max_degree_(max_degree), law_(law),
          prior_inside_(!law.prior.table.empty() && law.balance != Balance::kSqrt), forbidden_(std::move(forbidden)),
          kernel_(score.kernel()), cache_(n_, cache_bytes), inserts_(n_), deletes_(n_), rows_(std::size_t(n_)),
          log_rate_(std::size_t(n_ + 7) / 8 * 8) {
        if (law.prior.table.empty()) {
            insert_step_ = law.prior.slope;
            delete_step_ = -law.prior.slope;
        }
    }

    const RowCache<W>& cache() const { return cache_; }
    double insert_total() { return inserts_.total(); }
    double delete_total() { return deletes_.total(); }
    // Natural logarithms of the units of the totals. With the sqrt balance a prior step is a factor of all rates.
    double insert_log_scale(const G& g) const { return insert_reference_ * kLn2 + outer_step(g, 1); }
    double delete_log_scale(const G& g) const { return delete_reference_ * kLn2 + outer_step(g, -1); }

    void rebuild(const G& g) {
        full_ = saturated(g, max_degree_);
        set_steps(g);
        for (Row& r : rows_) drop(r.blocks);
        for (int y = 0; y < n_; ++y) fit_row(g, y);
        refer();
    }
    // After a move that joined or parted x and y.
    void update(const G& g, int x, int y) {
        B rows = g.dirty;
        if (max_degree_ < n_)
            for (int v : {x, y}) mark_saturation(g, v, rows);
        if (prior_inside_) {
            set_steps(g);
            for (int r = 0; r < n_; ++r) {
                for (Block& b : rows_[r].blocks) {
                    derive(cache_[b.row], b.X - full_);
                    sum_all(b);
                }
                total_row(r);
            }
        }
        rows.each([&](int r) { fit_row(g, r); });
        if (out_of_range(inserts_.total()) || out_of_range(deletes_.total())) refer();
    }

    // The operator at height u in [0, total) of the inserts or the deletes.
    Operator<W> draw(const G& g, bool insert, double u, Rng&) {
        const int y = (insert ? inserts_ : deletes_).pick(u);
        Block* chosen = nullptr;
        for (Block& b : rows_[y].blocks) {
            const double w = insert ? insert_weight(b) : delete_weight(b);
            if (!(w > 0)) continue;
            chosen = &b;
            if (u < w) break;
            u -= w;
        }
        const Block& b = *chosen;
        const CachedRow<W>& row = cache_[b.row];
        int x;
        if (insert) {
            u /= power_of_two(row.insert_exponent - insert_reference_);
            const B X = b.X - full_;
            int word = -1;
            for (int i = 0; i < words_; ++i) {
                if (!(b.sums[i] > 0)) continue;
                word = i;
                if (u < b.sums[i]) break;
                u -= b.sums[i];
            }
            x = pick_in_word(row.rate, word, X.word(word), u);
        } else {
            u /= power_of_two(row.delete_exponent - delete_reference_);
            x = -1;
            const B S = g.pa[y] | b.K;
            for (int i = 0; i < S.words() && !(x >= 0 && u < 0); ++i) pick_down(row.rate, i, S.word(i), u, x);
        }
        last_difference = row.difference[x];
        return {insert, x, y, b.K};
    }

    // Every operator with its rate, as the natural logarithm.
    template <class F>
    void each_rate(const G& g, F&& f) {
        for (int y = 0; y < n_; ++y)
            for (const Block& b : rows_[y].blocks) {
                const CachedRow<W>& row = cache_[b.row];
                const double up = row.insert_exponent * kLn2 + outer_step(g, 1);
                const double down = row.delete_exponent * kLn2 + outer_step(g, -1);
                (b.X - full_).each([&](int x) { f(Operator<W>{true, x, y, b.K}, std::log(row.rate[x]) + up); });
                (g.pa[y] | b.K).each([&](int x) { f(Operator<W>{false, x, y, b.K}, std::log(row.rate[x]) + down); });
            }
    }
    // The summed rates of row y, as natural logarithms.
    std::pair<double, double> row_log_rates(const G& g, int y) const {
        return {std::log(inserts_[y]) + insert_log_scale(g), std::log(deletes_[y]) + delete_log_scale(g)};
    }

  private:
    double outer_step(const G& g, int by) const {
        if (law_.prior.table.empty() || prior_inside_) return 0;
        return 0.5 * law_.prior.step(g.edges, by);
    }
    void set_steps(const G& g) {
        if (!prior_inside_) return;
        insert_step_ = law_.prior.step(g.edges, 1);
        delete_step_ = law_.prior.step(g.edges, -1);
    }
    // 0 is out of range too: either there is nothing to add up, or all of it has become too small for the units.
    static bool out_of_range(double total) { return !(total > 0x1p-400 && total < 0x1p+400); }

    double insert_weight(const Block& b) {
        return b.total * power_of_two(cache_[b.row].insert_exponent - insert_reference_);
    }
    double delete_weight(const Block& b) {
        const CachedRow<W>& r = cache_[b.row];
        return r.delete_sum * power_of_two(r.delete_exponent - delete_reference_);
    }
    void total_row(int y) {
        double up = 0, down = 0;
        for (Block& b : rows_[y].blocks) {
            up += insert_weight(b);
            down += delete_weight(b);
        }
        inserts_.set(y, up);
        deletes_.set(y, down);
    }
    // New units: the largest block counts about one. What then underflows is below 2^-1000 of the total.
    void refer() {
        insert_reference_ = delete_reference_ = kMinusInf;
        for (Row& r : rows_)
            for (Block& b : r.blocks) {
                const CachedRow<W>& row = cache_[b.row];
                if (b.total > 0) insert_reference_ = std::max(insert_reference_, row.insert_exponent + std::ilogb(b.total));
                if (row.delete_sum > 0) delete_reference_ = std::max(delete_reference_, row.delete_exponent);
            }
        if (insert_reference_ == kMinusInf) insert_reference_ = 0;
        if (delete_reference_ == kMinusInf) delete_reference_ = 0;
        for (int y = 0; y < n_; ++y) total_row(y);
    }

    // ---- rows
    void drop(std::vector<Block>& blocks) {
        for (Block& b : blocks) cache_.unpin(b.row);
        blocks.clear();
    }
    B candidates(const G& g, int y) const {
        if (full_.test(y)) return {};
        B X = base(g, y);
        if (!forbidden_.empty()) X -= forbidden_[y];
        return X;
    }
    void fit_row(const G& g, int y) {
        Row& r = rows_[y];
        const bool same = r.parents == g.pa[y];
        const B& N = g.ne[y];
        const B X = candidates(g, y);
        if (same && r.blocks.size() == 1 && !N.any()) {  // only the candidates changed
            if (refit(r.blocks[0], X)) total_row(y);
            return;
        }
        r.parents = g.pa[y];
        next_.clear();
        std::size_t at = 0;
        auto block = [&](const B& K, const B& x) {
            const std::size_t i = at++;
            if (same && i < r.blocks.size() && r.blocks[i].K == K) {  // the same row of scores
                next_.push_back(r.blocks[i]);
                cache_[next_.back().row].pins++;
                refit(next_.back(), x);
                return;
            }
            next_.emplace_back();
            Block& b = next_.back();
            b.K = K;
            b.X = x;
            b.row = cache_.pin(y, r.parents | K, [&](CachedRow<W>& row) { compute(row, x - full_); });
            b.rate = cache_[b.row].rate;
            if (prior_inside_) derive(cache_[b.row], x - full_);  // it may date from another number of edges
            if constexpr (W == 0) b.sums.resize(std::size_t(words_));
            sum_all(b);
        };
        if (!N.any()) {
            block(B{}, X);
        } else {
            guard(g, y);
            if (X.any()) reach_.find(g, y);
            Cliques<W> cliques(g, N);
            for (B K; cliques.next(K);) block(K, X.any() ? reach_.outside(X, K) : X);
        }
        std::swap(r.blocks, next_);
        for (Block& b : next_) cache_.unpin(b.row);
        total_row(y);
    }
    void guard(const G& g, int y) const {
        double cliques = 1;
        int largest = 0;
        g.ne[y].each([&](int v) {
            const int p = (g.above[v] & g.ne[y]).count();
            cliques += power_of_two(p);
            largest = std::max(largest, p + 1);
        });
        if (cliques > kMostCliques) throw TooDense{y, largest};
    }
    // Where v opened or closed, the rows that have v among their candidates change.
    void mark_saturation(const G& g, int v, B& rows) {
        const bool closed = g.degree[v] >= max_degree_;
        if (closed == full_.test(v)) return;
        full_.flip(v);
        rows.set(v);
        for (int r = 0; r < n_; ++r) {
            bool hit = false;
            for (Block& b : rows_[r].blocks)
                if (b.X.test(v)) {
                    sum_word(b, v >> 6);
                    settle(b);
                    hit = true;
                }
            if (hit) total_row(r);
        }
    }

    // ---- blocks
    bool refit(Block& b, const B& X) {
        bool changed = false;
        for (int i = 0; i < words_; ++i) {
            if (b.X.word(i) == X.word(i)) continue;
            b.X.at(i) = X.word(i);
            sum_word(b, i);
            changed = true;
        }
        if (changed) settle(b);
        return changed;
    }
    void sum_word(Block& b, int i) {
        const u64 mask = b.X.word(i) & ~full_.word(i);
        b.sums[i] = mask ? masked_sum(b.rate + 64 * i, mask) : 0;
    }
    void sum_all(Block& b) {
        for (int i = 0; i < words_; ++i) sum_word(b, i);
        settle(b);
    }
    // Add up the words. Where the units of the row do not suit its present candidates, choose others: rates change by
    // an exact power of two, so nothing depends on the units but what is below 2^-500 of the sum.
    void settle(Block& b) {
        b.total = 0;
        for (int i = 0; i < words_; ++i) b.total += b.sums[i];
        if (b.total > 0x1p-400 && b.total < 0x1p+400) return;
        const B X = b.X - full_;
        if (!X.any()) return;
        CachedRow<W>& row = cache_[b.row];
        const double before = row.insert_exponent;
        derive(row, X);
        if (row.insert_exponent == before) return;
        b.total = 0;
        for (int i = 0; i < words_; ++i) {
            sum_word(b, i);
            b.total += b.sums[i];
        }
    }

    // ---- rates of a row
    void compute(CachedRow<W>& row, const B& X) {
        parents_.clear();
        row.S.each([&](int v) { parents_.push_back(v); });
        kernel_->row(row.y, parents_, row.difference);
        derive(row, X);
    }
    // Rates from differences, in units that suit the candidates X (or all x, where there are none).
    void derive(CachedRow<W>& row, const B& X) {
        const int padded = int(log_rate_.size());
        log_rates(padded, law_.balance, law_.coldness, insert_step_, row.difference, log_rate_.data());
        double top = kMinusInf;
        if (X.any()) X.each([&](int x) { top = std::max(top, log_rate_[x]); });
        else top = *std::max_element(log_rate_.begin(), log_rate_.end());
        row.insert_exponent = exponent_of_exp(top);
        rates(padded, row.insert_exponent, log_rate_.data(), row.rate);

        double highest = kMinusInf;
        row.S.each([&](int x) {
            log_rates(1, law_.balance, law_.coldness, delete_step_, row.difference + x, &log_rate_[x]);
            highest = std::max(highest, log_rate_[x]);
        });
        row.delete_exponent = exponent_of_exp(highest);
        row.delete_sum = 0;
        row.S.each([&](int x) { row.delete_sum += row.rate[x] = exp_shifted(log_rate_[x], row.delete_exponent); });
    }

    static int pick_in_word(const double* rate, int word, u64 mask, double u) {
        int x = -1;
        pick_down(rate, word, mask, u, x);
        return x;
    }
    // Walk up the members of one word until u is used up (u < 0); x: the last one with a rate.
    static void pick_down(const double* rate, int word, u64 mask, double& u, int& x) {
        for (; mask; mask &= mask - 1) {
            const int j = 64 * word + std::countr_zero(mask);
            if (!(rate[j] > 0)) continue;
            x = j;
            u -= rate[j];
            if (u < 0) return;
        }
    }
};

}  // namespace czz
