// Greedy equivalence search (Chickering 2002): the operators of the sampler, of which each step applies the best.
#pragma once
#include "graph/operators.hpp"
#include "scores/score.hpp"
#include "target/edge_prior.hpp"
#include "target/restriction.hpp"
#include <algorithm>

namespace czz {

// Rows have the blocks of the sampler, one per clique, but a block keeps its score differences and its best insert and
// delete instead of rates and their sum. After a step only the rows that the move touched are updated. Among equal
// gains the smallest (y, x, clique) is chosen, with cliques compared as binary numbers, so the path depends on the
// scores alone.
//
// Greedy search shares the operators, the cliques and the score kernels with the sampler, but not ScoredTarget: rates
// are rounded and may underflow, so the best difference and ties cannot be read off them, and updating the rows of a
// ScoredTarget along the same path, without finding the best operator, takes 0.75 to 1.6 times as long as the whole
// search (benchmarks/pieces.txt).
//
// With knowledge every step leads to a class that agrees (target/restriction.hpp): the best operator that does.
template <int W>
class Greedy {
    using B = Bits<W>;
    using G = Cpdag<W>;

  public:
    struct Step {
        Operator<W> op;
        std::vector<int> tails_or_heads;
        double gain;
    };
    static constexpr double kGain = 1e-9;  // smaller gains are rounding noise

    G graph;

    // `pairs`: nodes that are never joined.
    Greedy(G start, const Score& score, const EdgePrior& prior, int max_degree, const Pairs& pairs, const Arrows* known)
        : graph(std::move(start)), prior_(prior), max_degree_(max_degree), masks_(graph.n, pairs, known),
          restriction_(known ? std::make_unique<Restriction<W>>(*known, graph) : nullptr), kernel_(score.kernel()),
          rows_(graph.size()), space_(std::size_t(score.n() + 7) / 8 * 8) {
        full_ = saturated(graph, max_degree_);
        for (int y = 0; y < graph.n; ++y) fit(y);
    }

    // The best insert or delete, if it has a positive gain.
    std::optional<Step> best(bool insert) {
        const double step = prior_.step(graph.edges, insert ? 1 : -1);
        const Block* found = nullptr;
        int y_found = -1;
        for (int y = 0; y < graph.n; ++y)
            for (const Block& b : rows_[y].blocks) {
                const Best& now = insert ? b.insert : b.remove;
                if (now.x < 0) continue;
                if (found) {
                    const Best& old = insert ? found->insert : found->remove;
                    if (now.gain < old.gain) continue;
                    const bool later = y != y_found     ? y > y_found
                                       : now.x != old.x ? now.x > old.x
                                                        : less(found->K, b.K);
                    if (now.gain == old.gain && later) continue;
                }
                found = &b;
                y_found = y;
            }
        if (!found) return {};
        const Best& top = insert ? found->insert : found->remove;
        if (!(top.gain + step > kGain)) return {};
        if (!agrees(graph, {insert, top.x, y_found, found->K})) return next_best(insert, step);
        return make(Operator<W>{insert, top.x, y_found, found->K}, top.gain + step);
    }

    // The best turn with a positive gain: a Delete(x, y), then an Insert(y, x) or Insert(x, y). Every reversal of an
    // edge in a DAG of the class is one (Hauser & Bühlmann 2012). Among equal gains the first one is chosen, in the
    // order of the delete's y, clique, x and then of the insert.
    std::optional<std::pair<Step, Step>> best_turn() {
        std::optional<std::pair<Step, Step>> found;
        for (int y = 0; y < graph.n; ++y)
            for (const Block& b : rows_[y].blocks)
                removable(rows_[y].parents | b.K, y).each([&](int x) {
                    const Operator<W> remove{false, x, y, b.K};
                    const double lost = b.difference[x] + prior_.step(graph.edges, -1);
                    G without = graph;
                    without.apply({false, x, y, b.K});
                    if (restriction_ && !restriction_->agrees(without)) return;
                    for (const bool turned : {true, false}) {
                        const double least = found ? found->first.gain + found->second.gain : kGain;
                        if (const auto back = best_join(without, turned ? y : x, turned ? x : y, least - lost))
                            found = std::pair(make(remove, lost), *back);
                    }
                });
        return found;
    }

    void apply(const Operator<W>& op) {
        graph.apply(op);
        B rows = graph.dirty;
        if (max_degree_ < graph.n)
            for (int v : {op.x, op.y})
                if ((graph.degree[v] >= max_degree_) != full_.test(v)) {
                    full_.flip(v);
                    rows = graph.all;
                }
        rows.each([&](int y) { fit(y); });
    }

  private:
    struct Best {
        double gain = kMinusInf;
        int x = -1;
        void offer(double g, int candidate) {
            if (g > gain || (g == gain && candidate < x)) *this = {g, candidate};
        }
    };
    struct Block {
        B K, X;
        std::vector<double> difference;
        Best insert, remove;
    };
    struct Row {
        B parents;
        std::vector<Block> blocks;  // in the order of K
    };

    EdgePrior prior_;
    int max_degree_;
    OperatorMasks<W> masks_;
    std::unique_ptr<Restriction<W>> restriction_;
    std::unique_ptr<RowKernel> kernel_;
    B full_;
    std::vector<Row> rows_;
    std::vector<Block> next_;
    Reach<W> reach_;
    std::vector<int> parents_;
    std::vector<double> space_;

    static bool less(const B& a, const B& b) {
        const int top = (a ^ b).last();
        return top >= 0 && b.test(top);
    }
    Step make(const Operator<W>& op, double gain) const { return {op, czz::tails_or_heads(graph, op).list(), gain}; }
    B removable(const B& S, int y) const { return masks_.remove.empty() ? S : S - masks_.remove[y]; }
    // Whether the class agrees to which an operator leads.
    bool agrees(const G& g, const Operator<W>& op) {
        if (!restriction_) return true;
        G next = g;
        next.apply(op);
        return restriction_->agrees(next);
    }
    // The best insert or delete that leads to a class that agrees, if it has a positive gain.
    std::optional<Step> next_best(bool insert, double step) {
        struct Candidate {
            double gain;
            int y, x;
            const Block* block;
        };
        std::vector<Candidate> all;
        for (int y = 0; y < graph.n; ++y)
            for (const Block& b : rows_[y].blocks)
                (insert ? b.X : removable(rows_[y].parents | b.K, y)).each([&](int x) {
                    if (b.difference[x] + step > kGain) all.push_back({b.difference[x], y, x, &b});
                });
        std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
            if (a.gain != b.gain) return a.gain > b.gain;
            if (a.y != b.y) return a.y < b.y;
            return a.x != b.x ? a.x < b.x : less(a.block->K, b.block->K);
        });
        for (const Candidate& c : all) {
            const Operator<W> op{insert, c.x, c.y, c.block->K};
            if (agrees(graph, op)) return make(op, c.gain + step);
        }
        return {};
    }
    // The best insert of x -> y into another class, if its gain is above `least`.
    std::optional<Step> best_join(const G& g, int x, int y, double least) {
        std::optional<Step> found;
        if (!base(g, y).test(x) || (!masks_.insert.empty() && masks_.insert[y].test(x))) return found;
        reach_.find(g, y);
        check_density(g, y);
        Cliques<W> cliques(g, g.ne[y]);
        for (B K; cliques.next(K);) {
            if (!reach_.outside(base(g, y), K).test(x)) continue;
            parents_ = (g.pa[y] | K).list();
            kernel_->row(y, parents_, space_.data());
            parents_.clear();
            const double gain = space_[x] + prior_.step(g.edges, 1);
            if (!(gain > (found ? found->gain : least))) continue;
            const Operator<W> join{true, x, y, K};
            if (!agrees(g, join)) continue;
            found = Step{join, czz::tails_or_heads(g, join).list(), gain};
        }
        return found;
    }

    void fit(int y) {
        Row& r = rows_[y];
        const bool same = r.parents == graph.pa[y];
        r.parents = graph.pa[y];
        B X;
        if (!full_.test(y)) {
            X = base(graph, y) - full_;
            if (!masks_.insert.empty()) X -= masks_.insert[y];
        }
        if (X.any() && graph.ne[y].any()) reach_.find(graph, y);
        else reach_.neighbors.clear();
        if (graph.ne[y].any()) check_density(graph, y);
        next_.clear();
        Cliques<W> cliques(graph, graph.ne[y]);
        for (B K; cliques.next(K);) {
            next_.emplace_back();
            Block& b = next_.back();
            const auto old = same ? std::ranges::lower_bound(r.blocks, K, less, &Block::K) : r.blocks.end();
            if (old != r.blocks.end() && old->K == K) keep(b, *old);
            else begin(b, y, K);
            choose(b, reach_.outside(X, K));
        }
        std::ranges::sort(next_, less, &Block::K);
        std::swap(r.blocks, next_);
    }
    static void keep(Block& b, Block& old) {  // copies K, by which old blocks are found, and moves the rest
        b.K = old.K;
        b.X = std::move(old.X);
        b.difference = std::move(old.difference);
        b.insert = old.insert;
        b.remove = old.remove;
    }
    void begin(Block& b, int y, const B& K) {
        b.K = K;
        const B S = rows_[y].parents | K;
        parents_ = S.list();
        b.difference.resize(space_.size());
        kernel_->row(y, parents_, b.difference.data());
        parents_.clear();
        removable(S, y).each([&](int x) { b.remove.offer(b.difference[x], x); });
    }
    // The best insert among the candidates X: if the previous best is one of them, only new candidates are compared.
    void choose(Block& b, const B& X) {
        B look = X;
        if (b.insert.x >= 0 && X.test(b.insert.x)) look -= b.X;
        else b.insert = {};
        b.X = X;
        look.each([&](int x) { b.insert.offer(b.difference[x], x); });
    }
};

}  // namespace czz
