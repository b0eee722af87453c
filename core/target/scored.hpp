// A scored target: the rates of all operators out of a class. Each node y has a block of operators per clique K of its
// neighbors, and each block a cached row of score differences and rates (target/row_rates.hpp). A move changes which
// rows are in use and which of their places are candidates, and hardly ever the rates of a row.
#pragma once
#include "base/rng.hpp"
#include "base/weighted_choice.hpp"
#include "graph/operators.hpp"
#include "target/block_weights.hpp"
#include "target/restriction.hpp"

namespace czz {

template <int W>
class ScoredTarget {
    using B = Bits<W>;
    using G = Cpdag<W>;
    using Block = InsertBlock<W>;
    struct NodeBlocks {
        B parents, neighbors;
        std::vector<Block> blocks;
    };

    const Score* score_;  // kept alive by the settings of the chain
    int n_, max_degree_;
    OperatorMasks<W> masks_;
    BlockWeights<W> weights_;    // shut: the saturated nodes; none with listed rows, whose blocks leave them out of X
    B full_;                     // saturated nodes
    Weights inserts_, deletes_;  // of each node, in the units of weights_
    std::vector<NodeBlocks> nodes_;
    std::vector<Block> next_;
    std::vector<u64> expected_;  // hashes of rows; see fit_with_prefetch
    std::vector<B> watched_;     // by node: the candidates that are likely in one of its rows; empty: all are likely
    B joined_;                   // if there are unlikely inserts: nodes with an edge that was added or removed
    Reach<W> reach_;

  public:
    ScoredTarget(const Score& score, const ProcessSettings& process, int max_degree, OperatorMasks<W> masks,
                 std::size_t cache_bytes)
        : score_(&score), n_(score.n()), max_degree_(max_degree), masks_(std::move(masks)),
          weights_(score, process, masks_.remove, cache_bytes), inserts_(n_), deletes_(n_), nodes_(std::size_t(n_)),
          watched_(weights_.rows.listed ? std::size_t(n_) : 0) {}

    const RowRates<W>& rows() const { return weights_.rows; }
    const RowCache<W>& cache() const { return rows().cache(); }
    const ProcessSettings& process() const { return rows().process(); }
    const std::vector<Block>& blocks(int y) const { return nodes_[y].blocks; }
    B candidates_of(const Block& b) const { return rows().nodes_at(rows()[b.row], weights_.open_places(b)); }
    // If not null, rows need no update when other nodes than those watched become descendants, or no longer are.
    const std::vector<B>* watched() const { return watched_.empty() ? nullptr : &watched_; }
    // Whether an insert of a row is valid; only unlikely ones may not be.
    bool is_valid(const G& g, const Operator<W>& op) {
        if (!rows().listed || !op.insert) return true;
        if (full_.test(op.x) || g.desc[op.y].test(op.x) || g.pa[op.y].test(op.x) || g.ne[op.y].test(op.x)) return false;
        if (!masks_.insert.empty() && masks_.insert[std::size_t(op.y)].test(op.x)) return false;
        if (!(g.ne[op.y] - op.K).any()) return true;
        reach_.find(g, op.y);
        return reach_.outside(B::one(op.x), op.K).any();
    }
    // Before the first rebuild(), instead of a target that is no longer used.
    void take_memory(ScoredTarget& other) { weights_.rows.take_memory(other.weights_.rows); }
    // The score of a class, from the local scores of its member DAG.
    double total(const G& g) const {
        double sum = 0;
        for (int v = 0; v < n_; ++v) sum += score_->local(v, g.dag_pa[v].list());
        return sum;
    }
    double insert_total() { return inserts_.total(); }
    double delete_total() { return deletes_.total(); }
    // Natural logarithms of the units of the totals. With the sqrt balance a prior step is a common factor.
    double insert_log_scale(const G& g) const { return weights_.insert_unit * kLn2 + rows().outer_step(g.edges, 1); }
    double delete_log_scale(const G& g) const { return weights_.delete_unit * kLn2 + rows().outer_step(g.edges, -1); }

    void rebuild(const G& g) {
        set_full(g);
        joined_ = g.all;
        weights_.rows.set_steps(g.edges);
        for (NodeBlocks& node : nodes_) {
            for (const Block& b : node.blocks) weights_.rows.unpin(b.row);
            node.blocks.clear();
        }
        for (int y = 0; y < n_; ++y) fit_node(g, y);
        choose_units();
    }
    // After operators, with what they changed in g.dirty, g.reshaped and g.changes.
    void update(const G& g) {
        B changed = g.dirty;
        if (rows().listed) {
            joined_.clear();
            for (const PairChange& c : g.changes) {
                joined_.set(c.a);
                joined_.set(c.b);
            }
            changed |= joined_;
        }
        if (max_degree_ < n_)
            for (const PairChange& c : g.changes)
                if (c.before == kNone || c.after == kNone)
                    for (int v : {c.a, c.b}) mark_saturation(g, v, changed);
        fit_nodes(g, changed);
    }
    // After any change of class, with its pairs in g.changes. Nodes with the same parents keep the blocks they can.
    void replace(const G& g) {
        B changed = g.all;
        joined_ = g.all;
        if (max_degree_ < n_)
            for (int v = 0; v < n_; ++v) mark_saturation(g, v, changed);
        fit_nodes(g, changed);
    }

    // Sums (through rounding), units and the order of blocks depend on the path, so they are saved; the rest follows
    // from the class. Rows in use are computed when a state is loaded, the others of the cache when they are looked up.
    // Refuses blocks that are not those of the class, and sums that are not those of the rates up to rounding. Throws
    // TooDense.
    template <class A>
    void state(A& a, const G& g) {
        a(weights_.insert_unit, weights_.delete_unit, weights_.rows);
        if constexpr (A::kLoads) {
            a.check(is_exponent(weights_.insert_unit) && is_exponent(weights_.delete_unit) && rows().allows(g.edges));
            set_full(g);
            weights_.rows.set_steps(g.edges);
        }
        for (int y = 0; y < n_; ++y) {
            a(nodes_[y].blocks);
            if constexpr (A::kLoads) restore_node(a, g, y);
        }
        if constexpr (A::kLoads) check_totals(a);
    }

    // The operator at position u in [0, total) of the cumulative rates of the inserts or the deletes.
    DrawnOperator<W> draw(const G& g, bool insert, double u, Rng&) {
        const int y = (insert ? inserts_ : deletes_).pick(u);
        const Block& b = pick_block(y, insert, u);
        const CachedRow<W>& row = rows()[b.row];
        const B S = g.pa[y] | b.K;
        const B& shut = weights_.shut;
        const int x = insert ? weights_.rows.draw_insert(
                                   row, [&](int i) { return b.X.word(i) & ~shut.word(i); }, u / b.unit)
                             : rows().draw_delete(row, rows().removable(S, y),
                                                  u / power_of_two(row.delete_exponent - weights_.delete_unit));
        const Operator<W> op{insert, x, y, b.K};
        if (rows().listed && insert && !row.likely.test(x) && !is_valid(g, op)) return {op, 0, false};
        return weights_.rows.with_difference(op, S, row);
    }

    // Calls f with every operator and the natural logarithm of its rate.
    template <class F>
    void each_rate(const G& g, F&& f) {
        for (int y = 0; y < n_; ++y)
            for (const Block& b : nodes_[y].blocks) {
                const CachedRow<W>& row = rows()[b.row];
                const double up = row.insert_exponent * kLn2 + rows().outer_step(g.edges, 1);
                const double down = row.delete_exponent * kLn2 + rows().outer_step(g.edges, -1);
                const double* rate = weights_.rows.all_rates(row);
                candidates_of(b).each([&](int x) { f(Operator<W>{true, x, y, b.K}, std::log(rate[x]) + up); });
                rows().removable(g.pa[y] | b.K, y).each([&](int x) {
                    f(Operator<W>{false, x, y, b.K}, std::log(rows().delete_rate(row, x)) + down);
                });
            }
    }
    // Calls f with every operator, its score difference and the natural logarithm of its rate, however small.
    template <class F>
    void each_difference(const G& g, F&& f) {
        for (int y = 0; y < n_; ++y)
            for (const Block& b : nodes_[y].blocks) {
                const double* difference = weights_.rows.all_differences(rows()[b.row]);
                auto add = [&](bool insert, int x) {
                    f(Operator<W>{insert, x, y, b.K}, difference[x],
                      rows().log_rate(difference[x], g.edges, insert ? 1 : -1));
                };
                candidates_of(b).each([&](int x) { add(true, x); });
                rows().removable(g.pa[y] | b.K, y).each([&](int x) { add(false, x); });
            }
    }
    // The summed rates of node y, as natural logarithms.
    std::pair<double, double> row_log_rates(const G& g, int y) const {
        return {std::log(inserts_[y]) + insert_log_scale(g), std::log(deletes_[y]) + delete_log_scale(g)};
    }

  private:
    // 0 is out of range too: either there are no operators, or all rates have become too small for the units.
    static bool out_of_range(double total) { return !(total > 0x1p-400 && total < 0x1p+400); }

    void set_full(const G& g) {
        full_ = saturated(g, max_degree_);
        if (!rows().listed) weights_.shut = full_;
    }
    // The places of a block with these candidates; unlikely inserts are tested when they are proposed.
    B places_of(u32 row, const B& candidates) const {
        if (!rows().listed) return candidates;
        const CachedRow<W>& r = rows()[row];
        return full_.test(r.y) ? B{} : rows().places_of(r, max_degree_ < n_ ? candidates - full_ : candidates);
    }
    void add_up_node(int y) {
        double up = 0, down = 0;
        for (const Block& b : nodes_[y].blocks) {
            up += b.inserts;
            down += b.deletes;
        }
        inserts_.set(y, up);
        deletes_.set(y, down);
    }
    // Chooses units in which the largest block is about 1. What then underflows is below 2^-1000 of the total.
    void choose_units() {
        double up = kMinusInf, down = kMinusInf;
        for (const NodeBlocks& node : nodes_)
            for (const Block& b : node.blocks) {
                const CachedRow<W>& row = rows()[b.row];
                if (b.total > 0) up = std::max(up, row.insert_exponent + std::ilogb(b.total));
                if (row.delete_sum > 0) down = std::max(down, row.delete_exponent);
            }
        weights_.insert_unit = up > kMinusInf ? up : 0;
        weights_.delete_unit = down > kMinusInf ? down : 0;
        for (int y = 0; y < n_; ++y) {
            for (Block& b : nodes_[y].blocks) weights_.weigh(b);
            add_up_node(y);
        }
    }
    // The block of node y at position u; u becomes the position within the block.
    const Block& pick_block(int y, bool insert, double& u) const {
        const auto& blocks = nodes_[y].blocks;
        std::size_t chosen = blocks.size();
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const double w = insert ? blocks[i].inserts : blocks[i].deletes;
            if (!(w > 0)) continue;
            chosen = i;
            if (u < w) break;
            u -= w;
        }
        if (chosen == blocks.size()) no_rate_is_positive();
        return blocks[chosen];
    }

    // ---- the blocks of nodes
    void fit_nodes(const G& g, const B& changed) {
        if (rows().prior_inside) {
            weights_.rows.set_steps(g.edges);
            for (int y = 0; y < n_; ++y) {
                for (Block& b : nodes_[y].blocks) weights_.renew(b);
                add_up_node(y);
            }
        }
        if (n_ > RowRates<W>::kSmall) {
            fit_with_prefetch(g, changed);
        } else {
            changed.each([&](int y) { fit_node(g, y); });
        }
        if (out_of_range(inserts_.total()) || out_of_range(deletes_.total())) choose_units();
    }
    // Nodes that may look up new cached rows come last: these rows are prefetched while the others are fitted.
    void fit_with_prefetch(const G& g, const B& changed) {
        const B reshaped = changed & g.reshaped;
        expect_rows(g, reshaped);
        const B others = changed - reshaped;
        const int half = others.count() / 2;
        int done = 0;
        auto fetch = [&] {
            for (u64 h : expected_) rows().prefetch_row(h);
        };
        others.each([&](int y) {
            if (done++ == half) fetch();
            fit_node(g, y);
        });
        if (done == 0) fetch();
        reshaped.each([&](int y) { fit_node(g, y); });
    }
    // Prefetches the index slots of rows that will be looked up: for new parents, these alone and with each neighbor;
    // else the parents with each new neighbor.
    void expect_rows(const G& g, const B& reshaped) {
        expected_.clear();
        reshaped.each([&](int y) {
            const NodeBlocks& node = nodes_[y];
            const bool same_parents = node.parents == g.pa[y];
            if (!same_parents) expected_.push_back(rows().prefetch_slot(y, g.pa[y]));
            (same_parents ? g.ne[y] - node.neighbors : g.ne[y]).each([&](int v) {
                B S = g.pa[y];
                S.set(v);
                expected_.push_back(rows().prefetch_slot(y, S));
            });
        });
    }
    // The candidates for inserts into y without regard to cliques.
    B candidates(const G& g, int y) const {
        if (full_.test(y)) return {};
        const B X = base(g, y);
        return masks_.insert.empty() ? X : X - masks_.insert[std::size_t(y)];
    }
    // The candidates for the valid inserts (K, x) into y, once reach_ is that of y.
    B reached(const G& g, int y, const B& X, const B& K) const {
        const B outside = reach_.outside(X, K);
        return masks_.above.empty() ? outside : outside - masks_.disagreeing(y, g.ne[y] - K);
    }
    // A node with listed rows whose own edges are the same: only likely inserts may have become valid, or invalid.
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
        for (Block& b : nodes_[y].blocks)
            changed |= weights_.refit(b, places_of(b.row, lines ? reached(g, y, X, b.K) : X));
        if (changed) add_up_node(y);
    }
    void fit_node(const G& g, int y) {
        if (rows().listed && !joined_.test(y) && !g.reshaped.test(y)) return fit_likely(g, y);
        NodeBlocks& node = nodes_[y];
        const B& N = g.ne[y];
        const B X = candidates(g, y);
        const bool lines = N.any() && X.any();
        if (lines) reach_.find(g, y);
        auto admissible = [&](const B& K, u32 row) { return places_of(row, lines ? reached(g, y, X, K) : X); };
        const bool built = !node.blocks.empty();
        const bool same_parents = built && node.parents == g.pa[y];
        // Only the candidates changed:
        if (built && (!g.reshaped.test(y) || (same_parents && same_cliques(g, node, N)))) {
            bool changed = false;
            for (Block& b : node.blocks) changed |= weights_.refit(b, admissible(b.K, b.row));
            if (changed) add_up_node(y);
            return;
        }
        if (N.any() && g.degree[y] > kFewNeighbors) check_density(g, y);
        node.parents = g.pa[y];
        node.neighbors = N;
        next_.clear();
        Cliques<W> cliques(g, N);
        for (B K; cliques.next(K);) {
            const Block* old = same_parents ? find(node.blocks, K) : nullptr;
            if (old) {
                next_.push_back(*old);
                weights_.rows.pin(old->row);
                weights_.refit(next_.back(), admissible(K, old->row));
            } else {
                const u32 row = weights_.rows.pin(y, node.parents | K);
                next_.emplace_back();
                weights_.begin(next_.back(), K, row, admissible(K, row));
            }
        }
        std::swap(node.blocks, next_);
        for (const Block& b : next_) weights_.rows.unpin(b.row);
        watch(y);
        add_up_node(y);
    }
    void watch(int y) {
        if (!rows().listed) return;
        watched_[y] = {};
        for (const Block& b : nodes_[y].blocks) watched_[y] |= rows()[b.row].likely;
    }
    // Whether the cliques of Ne(y) are unchanged: no line among these neighbors was added or removed.
    bool same_cliques(const G& g, const NodeBlocks& node, const B& N) const {
        if (!(node.neighbors == N)) return false;
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
    // If v became saturated, or no longer is, updates the nodes that have v among their candidates.
    void mark_saturation(const G& g, int v, B& changed) {
        const bool closed = g.degree[v] >= max_degree_;
        if (closed == full_.test(v)) return;
        full_.flip(v);
        changed.set(v);
        if (rows().listed) {
            for (int y = 0; y < n_; ++y)
                if (watched_[y].test(v)) changed.set(y);
            return;
        }
        weights_.shut.flip(v);
        constexpr int kAhead = 4;
        for (int y = 0; y < n_; ++y) {
            if (y + 2 * kAhead < n_) __builtin_prefetch(nodes_[y + 2 * kAhead].blocks.data());
            if (y + kAhead < n_) __builtin_prefetch(nodes_[y + kAhead].blocks.front().rate + v);
            bool hit = false;
            for (Block& b : nodes_[y].blocks)
                if (b.X.test(v)) {
                    weights_.shut_or_open(b, v, closed);
                    hit = true;
                }
            if (hit) add_up_node(y);
        }
    }

    // ---- a loaded state
    template <class A>
    void restore_node(const A& a, const G& g, int y) {
        NodeBlocks& node = nodes_[y];
        node.parents = g.pa[y];
        node.neighbors = g.ne[y];
        check_density(g, y);
        const B X = candidates(g, y);
        if (X.any()) reach_.find(g, y);
        std::size_t count = 0;
        Cliques<W> cliques(g, g.ne[y]);
        for (B K; cliques.next(K); ++count) {
            const bool in_place = count < node.blocks.size() && node.blocks[count].K == K;
            Block* b = in_place ? &node.blocks[count] : find(node.blocks, K);
            a.check(b && weights_.rows.restore(b->row, y, node.parents | K));
            a.check(weights_.restore(*b, places_of(b->row, X.any() ? reached(g, y, X, K) : X)));
        }
        a.check(count == node.blocks.size());
        watch(y);
        add_up_node(y);
    }
    template <class A>
    void check_totals(const A& a) {
        bool inserts = false, deletes = false;
        for (const NodeBlocks& node : nodes_)
            for (const Block& b : node.blocks) {
                inserts |= b.total > 0;
                deletes |= rows()[b.row].delete_sum > 0;
            }
        a.check(inserts_.valid(n_) && deletes_.valid(n_));
        a.check(inserts ? !out_of_range(inserts_.total()) : inserts_.total() == 0);
        a.check(deletes ? !out_of_range(deletes_.total()) : deletes_.total() == 0);
    }
};

}  // namespace czz
