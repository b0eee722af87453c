// Greedy search among classes: the operators of the sampler, of which each step applies the best.
#pragma once
#include "graph/operators.hpp"
#include "search/differences.hpp"
#include "target/restriction.hpp"
#include <optional>

namespace czz {

// An operator that does not depend on the present class: toggles x in the parents of y, in a member DAG in which these
// are S. Toggling x again, with S as it is then, leads back.
template <int W>
struct Toggle {
    bool insert;
    int x, y;
    Bits<W> S;

    Toggle(const Cpdag<W>& g, const Operator<W>& op) : insert(op.insert), x(op.x), y(op.y), S(g.pa[op.y] | op.K) {}
    Operator<W> in(const Cpdag<W>& g) const { return {insert, x, y, S - g.pa[y]}; }
    Toggle back() const {
        Toggle other = *this;
        other.insert = !insert;
        other.S.flip(x);
        return other;
    }
};

// A row has the blocks of the sampler, one per clique, with score differences instead of rates, and the best insert,
// delete and reversal of each row are kept. After a move only the rows that it touched are updated, and only those
// whose parents or neighbors may have changed look up differences. Among equal gains the smallest (y, x, clique) is
// chosen, with cliques compared as binary numbers, so the path depends on the scores alone.
//
// In a trial all moves can be taken back, and one pair of nodes is not joined.
//
// Greedy search shares the operators, the cliques and the score kernels with the sampler, but not ScoredTarget: rates
// are rounded and may underflow, so the best difference and ties cannot be read off them.
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
    struct Block {
        B K;
        std::shared_ptr<const Differences> differences;
    };
    using Row = std::vector<Block>;        // in the order of K, so the empty clique is first
    static constexpr double kGain = 1e-9;  // smaller gains are rounding noise

    G graph;

    // `pairs`: nodes that are never joined.
    Greedy(G start, const Score& score, const EdgePrior& prior, int max_degree, const Pairs& pairs,
           const ArrowKnowledge* known)
        : graph(std::move(start)), prior_(prior), max_degree_(max_degree), masks_(graph.n, pairs, known),
          restriction_(known ? std::make_unique<Restriction<W>>(*known, graph) : nullptr), cache_(score, prior, kGain),
          full_(saturated(graph, max_degree)), rows_(graph.size()), best_(graph.size()) {
        update(graph.all, graph.all, graph.all);
    }

    const Row& row(int y) const { return rows_[y]; }
    B removable(const B& S, int y) const { return masks_.remove.empty() ? S : S - masks_.remove[y]; }
    double step(int by) const { return prior_.step(graph.edges, by); }
    bool agrees(const Operator<W>& op) { return agrees({Toggle<W>(graph, op)}); }
    Step make(const Operator<W>& op, double gain) const { return {op, czz::tails_or_heads(graph, op).list(), gain}; }

    // The best insert or delete, if it has a positive gain.
    std::optional<Step> best(bool insert) {
        const auto kind = insert ? &Best::insert : &Best::remove;
        const double prior = step(insert ? 1 : -1);
        const int y = row_of_best(kind);
        if (y < 0) return {};
        const Top& top = best_[y].*kind;
        if (!(top.gain + prior > kGain)) return {};
        const Operator<W> op{insert, top.x, y, rows_[y][top.block].K};
        if (!agrees(op)) return next_best(insert, prior);
        return make(op, top.gain + prior);
    }

    // The best reversal of an arrow with a positive gain: y -> x becomes x -> y, in a member DAG in which x has the
    // parents Pa(x), and y has Pa(y) ∪ K. It is possible if no other parent of x can be reached from y by arrows, or
    // from a neighbor of y outside K (Hauser & Bühlmann 2012, Proposition 34). Reversals whose insert does not gain are
    // not found: they gain no more than their delete does.
    std::optional<std::pair<Step, Step>> best_reversal() {
        const int y = row_of_best(&Best::reversal);
        if (y < 0 || !(best_[y].reversal.gain > kGain)) return {};
        const Top top = best_[y].reversal;
        const auto [remove, insert] = reversal(y, top.x, rows_[y][top.block].K);
        const double lost = rows_[top.x].front().differences->without(y) + step(-1);
        std::pair<Step, Step> found(make(remove.in(graph), lost), {});
        graph.apply(remove.in(graph));
        found.second = make(insert.in(graph), top.gain - lost);
        graph.apply(remove.back().in(graph));
        return found;
    }

    // The best turn with a positive gain: a Delete(x, y), then an Insert(y, x) or Insert(x, y). Every reversal of an
    // edge in a DAG of the class is one (Hauser & Bühlmann 2012). Among equal gains the first one is chosen, in the
    // order of the delete's y, clique, x and then of the insert.
    std::optional<std::pair<Step, Step>> best_turn() {
        std::optional<std::pair<Step, Step>> found;
        const G before = graph;  // with its member DAG
        for (int y = 0; y < graph.n; ++y)
            for (const Block& b : rows_[y])
                removable(graph.pa[y] | b.K, y).each([&](int x) {
                    const Step remove = make({false, x, y, b.K}, b.differences->without(x) + step(-1));
                    const Toggle<W> back = Toggle<W>(graph, remove.op).back();
                    graph.apply(remove.op);
                    if (!restriction_ || restriction_->agrees(graph))
                        for (const bool turned : {true, false}) {
                            const double least = found ? found->first.gain + found->second.gain : kGain;
                            if (const auto join = best_join(turned ? y : x, turned ? x : y, least - remove.gain))
                                found = std::pair(remove, *join);
                        }
                    graph.apply(back.in(graph));
                });
        graph = before;
        return found;
    }

    // Applies operators, each to the class that the one before leads to.
    void apply(std::initializer_list<Operator<W>> operators) {
        B dirty, reshaped, turned;
        for (const Operator<W>& op : operators) {
            if (trial_) trial_->moves.emplace_back(graph, op);
            graph.apply(op);
            dirty |= graph.dirty;
            reshaped |= graph.reshaped;
            for (const PairChange& c : graph.changes) {
                turned.set(c.a);
                turned.set(c.b);
            }
            if (update_bound(op)) dirty = graph.all;
        }
        turned |= dirty;
        reshaped.each([&](int v) { turned |= graph.pa[v]; });
        update(dirty, reshaped, turned);
    }

    void begin_trial(int a, int b) { trial_.emplace(a, b); }
    const B& reshaped_in_trial() const { return trial_->reshaped; }
    void allow_pair() {  // that the trial does not join
        const B ends = B::one(trial_->a) | B::one(trial_->b);
        trial_->a = trial_->b = -1;
        update(ends, {}, ends);
    }
    void keep_trial() { trial_.reset(); }
    void take_back() {
        for (; !trial_->moves.empty(); trial_->moves.pop_back()) {
            const Operator<W> op = trial_->moves.back().back().in(graph);
            graph.apply(op);
            update_bound(op);
        }
        for (auto& [y, row] : trial_->rows) rows_[y] = std::move(row);
        for (auto& [y, best] : trial_->bests) best_[y] = best;
        trial_.reset();
    }

  private:
    struct Top {
        double gain = kMinusInf;
        int x = -1, block = -1;
        void offer(double g, int candidate, int b) {
            if (g > gain || (g == gain && candidate < x)) *this = {g, candidate, b};
        }
    };
    struct Best {
        Top insert, remove, reversal;
    };
    struct Trial {
        int a, b;                      // not joined
        std::vector<Toggle<W>> moves;  // of the trial so far
        std::vector<std::pair<int, Row>> rows;
        std::vector<std::pair<int, Best>> bests;  // these and the rows are those from before the trial
        B reshaped, touched;                      // rows that are in `rows`, in `bests`

        Trial(int a_, int b_) : a(a_), b(b_) {}
    };

    EdgePrior prior_;
    int max_degree_;
    OperatorMasks<W> masks_;
    std::unique_ptr<Restriction<W>> restriction_;
    DifferenceCache<W> cache_;
    B full_;
    std::vector<Row> rows_;
    std::vector<Best> best_;
    std::optional<Trial> trial_;
    Reach<W> reach_;

    static bool less(const B& a, const B& b) {
        const int top = (a ^ b).last();
        return top >= 0 && b.test(top);
    }
    int row_of_best(Top Best::* kind) const {
        int found = -1;
        double gain = kMinusInf;
        for (int y = 0; y < graph.n; ++y)
            if ((best_[y].*kind).gain > gain) gain = (best_[found = y].*kind).gain;
        return found;
    }
    // The delete and the insert of the reversal of y -> x.
    std::pair<Toggle<W>, Toggle<W>> reversal(int y, int x, const B& K) const {
        return {{graph, {false, y, x, {}}}, {graph, {true, x, y, K}}};
    }
    // Whether the class agrees to which operators lead, each applied after the one before.
    bool agrees(std::initializer_list<Toggle<W>> toggles) {
        if (!restriction_) return true;
        G next = graph;
        for (const Toggle<W>& t : toggles) next.apply(t.in(next));
        return restriction_->agrees(next);
    }
    // The best insert or delete that leads to a class that agrees, if it has a positive gain.
    std::optional<Step> next_best(bool insert, double prior) {
        struct Candidate {
            double gain;
            int y, x;
            const B* K;
        };
        std::vector<Candidate> all;
        for (int y = 0; y < graph.n; ++y) {
            reach_.find(graph, y);
            for (const Block& b : rows_[y]) {
                auto add = [&](double gain, int x) {
                    if (gain + prior > kGain) all.push_back({gain, y, x, &b.K});
                };
                if (insert) {
                    for (const Gain& g : b.differences->inserts)
                        if (joins(y, b.K, g.x)) add(g.value, g.x);
                } else {
                    removable(graph.pa[y] | b.K, y).each([&](int x) { add(b.differences->without(x), x); });
                }
            }
        }
        std::ranges::sort(all, [](const Candidate& a, const Candidate& b) {
            if (a.gain != b.gain) return a.gain > b.gain;
            if (a.y != b.y) return a.y < b.y;
            return a.x != b.x ? a.x < b.x : less(*a.K, *b.K);
        });
        for (const Candidate& c : all) {
            const Operator<W> op{insert, c.x, c.y, *c.K};
            if (agrees(op)) return make(op, c.gain + prior);
        }
        return {};
    }
    // The best insert of x -> y, if its gain is above `least`; x and y are not adjacent.
    std::optional<Step> best_join(int x, int y, double least) {
        std::optional<Step> found;
        if (!base(graph, y).test(x) || (!masks_.insert.empty() && masks_.insert[y].test(x))) return found;
        reach_.find(graph, y);
        check_density(graph, y);
        Cliques<W> cliques(graph, graph.ne[y]);
        for (B K; cliques.next(K);) {
            if (!reach_.outside(base(graph, y), K).test(x)) continue;
            const double gain = cache_.all(y, (graph.pa[y] | K).list())[std::size_t(x)] + step(1);
            if (!(gain > (found ? found->gain : least))) continue;
            const Operator<W> join{true, x, y, K};
            if (agrees(join)) found = make(join, gain);
        }
        return found;
    }

    // Whether x -> y can be inserted; reach_ is that of y.
    bool joins(int y, const B& K, int x) const {
        if (graph.ne[y].test(x) || graph.desc[y].test(x) || full_.test(x) || full_.test(y)) return false;
        if (!masks_.insert.empty() && masks_.insert[y].test(x)) return false;
        if (trial_ && trial_->a == x && trial_->b == y) return false;
        bool free = true;
        (graph.ne[y] - K).each([&](int w) { free = free && !reach_.set[w]->test(x); });
        return free;
    }
    // Whether the arrow y -> x can be reversed; reach_ is that of y.
    bool reverses(int y, const B& K, int x) {
        if (trial_ && trial_->a == x && trial_->b == y) return false;
        if (!masks_.insert.empty() && masks_.insert[y].test(x)) return false;
        if (!masks_.remove.empty() && masks_.remove[x].test(y)) return false;
        B others = graph.pa[x];
        others.reset(y);
        bool free = !meets(others, graph.desc[y]);
        (graph.ne[y] - K).each([&](int w) { free = free && !meets(others, *reach_.set[w]); });
        if (!free || !restriction_) return free;
        const auto [remove, insert] = reversal(y, x, K);
        return agrees({remove, insert});
    }
    // Returns whether a node that was below the bound of degrees is now at it, or the other way round.
    bool update_bound(const Operator<W>& op) {
        bool flipped = false;
        for (int v : {op.x, op.y})
            if (max_degree_ < graph.n && (graph.degree[v] >= max_degree_) != full_.test(v)) {
                full_.flip(v);
                flipped = true;
            }
        return flipped;
    }
    // Updates the inserts of rows that are dirty, and their blocks if they are reshaped, and the reversals of others.
    void update(const B& dirty, const B& reshaped, const B& turned) {
        if (trial_) {
            (reshaped - trial_->reshaped).each([&](int y) { trial_->rows.emplace_back(y, rows_[y]); });
            ((turned | dirty) - trial_->touched).each([&](int y) { trial_->bests.emplace_back(y, best_[y]); });
            trial_->reshaped |= reshaped;
            trial_->touched |= turned | dirty;
        }
        reshaped.each([&](int y) { build(y); });
        (turned | dirty).each([&](int y) { choose(y); });
    }
    void build(int y) {
        if (graph.ne[y].any()) check_density(graph, y);
        Row& row = rows_[y];
        row.clear();
        Cliques<W> cliques(graph, graph.ne[y]);
        for (B K; cliques.next(K);) row.push_back({K, cache_.of(y, graph.pa[y] | K)});
        std::ranges::sort(row, less, &Block::K);
        Top& top = best_[y].remove = {};
        for (std::size_t i = 0; i < row.size(); ++i) {
            const Differences& d = *row[i].differences;
            for (std::size_t j = 0; j < d.parents.size(); ++j)
                if (masks_.remove.empty() || !masks_.remove[y].test(d.parents[j]))
                    top.offer(d.removal[j], d.parents[j], int(i));
        }
    }
    // The best insert and the best reversal of a row.
    void choose(int y) {
        best_[y].insert = best_[y].reversal = {};
        const Row& row = rows_[y];
        bool reached = !graph.ne[y].any();
        for (std::size_t i = 0; i < row.size(); ++i) {
            const B& K = row[i].K;
            bool inserted = false;
            for (const Gain& g : row[i].differences->inserts) {
                if (!reached) {
                    reach_.find(graph, y);
                    reached = true;
                }
                if (graph.ch[y].test(g.x)) {
                    const double total = g.value + rows_[g.x].front().differences->without(y);
                    if (total > kGain && total > best_[y].reversal.gain && reverses(y, K, g.x))
                        best_[y].reversal.offer(total, g.x, int(i));
                } else if (!inserted && joins(y, K, g.x)) {
                    best_[y].insert.offer(g.value, g.x, int(i));
                    inserted = true;
                }
            }
        }
    }
};

}  // namespace czz
