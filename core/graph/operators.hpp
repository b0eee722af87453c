// Rows: the operators into one node y, as pairs (K, x) with K a clique of Ne(y); listing, counting and checking them.
// apply_operator.hpp applies them.
//
// With S = Pa(y) ∪ K the valid operators into y are exactly (tests/exhaustive proves it for every class of five nodes)
//   Insert(x, y, T = K \ Adj(x))            for x in X(y, K) = base(y) \ ⋃ { reach(w) : w in Ne(y) \ K },
//   Delete(x, y, H = Ne(y) ∩ Adj(x) \ K)    for x in S,
// where base(y) = V \ ({y} ∪ Adj(y) ∪ desc(y)), reach(w) = U ∪ desc(U), and U is what w reaches inside its component
// avoiding Ne(y) and y. Both toggle x -> y in a member DAG in which S are the parents of y.
#pragma once
#include "base/math.hpp"
#include "graph/apply_operator.hpp"
#include "graph/completion.hpp"

namespace czz {

template <int W>
struct DrawnOperator {
    Operator<W> op;
    double score_difference;  // score of the class it leads to − score of the present one
    bool valid = true;        // false for an unlikely insert that does not exist; see sampler/chain.hpp
};

// Thrown if the neighbors of a node have more cliques than can be listed.
struct TooDense {
    int node, clique;  // the node, and the size of the largest clique
};
constexpr int kFewNeighbors = 14;
constexpr double kMostCliques = 1 << kFewNeighbors;  // kFewNeighbors nodes never have more

template <int W>
Bits<W> base(const Cpdag<W>& g, int y) {
    Bits<W> X = g.all - g.desc[y];
    X -= g.pa[y];
    X -= g.ne[y];
    return X;
}

// Nodes whose degree is at the bound.
template <int W>
Bits<W> saturated(const Cpdag<W>& g, int max_degree) {
    Bits<W> full;
    for (int v = 0; v < g.n; ++v)
        if (g.degree[v] >= max_degree) full.set(v);
    return full;
}

// Throws TooDense if Ne(y) has too many cliques to list.
template <int W>
void check_density(const Cpdag<W>& g, int y) {
    double cliques = 1;
    int largest = 0;
    g.ne[y].each([&](int v) {
        const int p = (g.above[v] & g.ne[y]).count();
        cliques += power_of_two(p);
        largest = std::max(largest, p + 1);
    });
    if (cliques > kMostCliques) throw TooDense{y, largest};
}

// reach(w) for every neighbor w of one node y. Neighbors that touch the same part of the component share its set.
template <int W>
struct Reach {
    using B = Bits<W>;
    B neighbors;
    std::vector<const B*> set;  // reach(w) at index w, until the graph changes
    std::vector<B> own;         // where it is not desc(w)

    void find(const Cpdag<W>& g, int y) {
        if (set.size() < g.size()) set.resize(g.size());
        neighbors = g.ne[y];
        neighbors.each([&](int w) { set[w] = &g.desc[w]; });
        B rest = g.comp[y] - neighbors;
        rest.reset(y);
        if (!rest.any()) return;
        if (own.size() < g.size()) own.resize(g.size());
        neighbors.each([&](int w) {
            own[w] = g.desc[w];
            set[w] = &own[w];
        });
        while (rest.any()) {
            B part = B::one(rest.first()), front = part, below, touched;
            for (int u; (u = front.first()) >= 0;) {
                front.reset(u);
                below |= g.desc[u];
                touched |= g.ne[u];
                const B fresh = (g.ne[u] & rest) - part;
                part |= fresh;
                front |= fresh;
            }
            rest -= part;
            (touched & neighbors).each([&](int w) { own[w] |= below; });
        }
    }
    B outside(B X, const B& K) const {  // X(y, K) out of base(y)
        auto remove = [&](int w) { X -= *set[w]; };
        if constexpr (kManyWords<W>) {
            neighbors.each([&](int w) {
                if (!K.test(w)) remove(w);
            });
        } else {
            (neighbors - K).each(remove);
        }
        return X;
    }
};

// The cliques of a set F of neighbors of a node, the empty one first, the others by their last member v in the order
// of the member DAG: v with any subset of above(v) ∩ F, which is a clique.
template <int W>
class Cliques {
    using B = Bits<W>;
    const Cpdag<W>* g_;
    B all_, tops_, under_, sub_;
    int top_ = -1;
    bool started_ = false;

  public:
    Cliques(const Cpdag<W>& g, const B& F) : g_(&g), all_(F), tops_(F) {}

    bool next(B& K) {
        if (!started_) {
            started_ = true;
            K = B{};
            return true;
        }
        if (!sub_.any()) {  // all subsets with the last top are done
            const int top = tops_.first();
            if (top < 0) return false;
            tops_.reset(top_ = top);
            under_ = g_->above[top] & all_;
        }
        K = sub_;
        K.set(top_);
        sub_.next_subset(under_);
        return true;
    }
};

// The candidates x of a row, grouped by the neighbors that every clique must contain for x to be admissible:
// K ⊇ must, and K \ must is any clique of `free`. Takes polynomial time, because no clique is listed.
template <int W>
struct Split {
    using B = Bits<W>;
    struct Share {
        B X, must, free;
    };
    std::vector<Share> shares;
    Reach<W> reach;

    void find(const Cpdag<W>& g, int y, const B& candidates) {
        shares.clear();
        if (!candidates.any()) return;
        shares.push_back({candidates, {}, g.ne[y]});
        if (!g.ne[y].any()) return;
        reach.find(g, y);
        g.ne[y].each([&](int w) {
            const B& R = *reach.set[w];
            if (!meets(candidates, R)) return;
            for (std::size_t j = shares.size(); j-- > 0;) {
                const B in = shares[j].X & R;
                if (!in.any()) continue;
                const B out = shares[j].X - R;
                Share forced{in, shares[j].must, shares[j].free & g.ne[w]};
                const bool clique = subset(forced.must, g.ne[w]);
                forced.must.set(w);
                if (out.any()) {
                    shares[j].X = out;
                    if (clique) shares.push_back(forced);
                } else if (clique) {
                    shares[j] = forced;
                } else {
                    shares[j] = shares.back();
                    shares.pop_back();
                }
            }
        });
    }
};

// A number of any size as the sum of coefficient[p] · 2^p.
using PowerSum = std::vector<u64>;
inline void add_power(PowerSum& s, int p, u64 c) {
    if (int(s.size()) <= p) s.resize(std::size_t(p) + 1);
    s[std::size_t(p)] += c;
}

// The number of cliques of a chordal graph: 1 + Σ_v 2^|earlier neighbors of v| along a perfect order.
template <int W>
void count_operators(const Cpdag<W>& g, int max_degree, PowerSum& inserts, PowerSum& deletes) {
    const Bits<W> full = saturated(g, max_degree);
    Split<W> split;
    for (int y = 0; y < g.n; ++y) {
        const u64 parents = u64(g.pa[y].count());
        add_power(deletes, 0, parents);
        g.ne[y].each([&](int v) {  // cliques with last member v: 2^p of them, with 2^p + p 2^(p-1) members
            const int p = (g.above[v] & g.ne[y]).count();
            add_power(deletes, p, parents + 1);
            if (p) add_power(deletes, p - 1, u64(p));
        });
        if (full.test(y)) continue;
        split.find(g, y, base(g, y) - full);
        for (const auto& s : split.shares) {
            const u64 c = u64(s.X.count());
            add_power(inserts, 0, c);
            s.free.each([&](int v) { add_power(inserts, (g.above[v] & s.free).count(), c); });
        }
    }
}

// T of an insert, H of a delete.
template <int W>
Bits<W> tails_or_heads(const Cpdag<W>& g, const Operator<W>& op) {
    if (op.insert) return op.K - g.adjacent(op.x);
    return (g.ne[op.y] & g.adjacent(op.x)) - op.K;
}

// The clique of a valid operator given by T or H.
template <int W>
Operator<W> from_tails_or_heads(const Cpdag<W>& g, bool insert, int x, int y, const Bits<W>& TH) {
    Bits<W> K = g.ne[y] & g.adjacent(x);
    if (insert) {
        K |= TH;
    } else {
        K -= TH;
        if (g.ne[y].test(x)) K.set(x);
    }
    return {insert, x, y, K};
}

// Which condition of Chickering (2002, Theorems 15 and 17) an operator violates, with the nodes that show it.
template <int W>
std::optional<Flaw> fault(const Cpdag<W>& g, bool insert, int x, int y, const Bits<W>& TH) {
    using B = Bits<W>;
    if (x == y) return Flaw{"same_node", {x}};
    const B adjacent_x = g.adjacent(x), common = g.ne[y] & adjacent_x;
    if (insert && adjacent_x.test(y)) return Flaw{"adjacent", {x, y}};
    if (!insert && !g.pa[y].test(x) && !g.ne[y].test(x)) return Flaw{"not_adjacent", {x, y}};
    const B strangers = TH - (insert ? g.ne[y] - adjacent_x : common);
    if (strangers.any()) return Flaw{insert ? "not_tails" : "not_heads", strangers.list()};
    const B K = insert ? common | TH : common - TH;
    for (int a : K.list()) {
        B missing = K - g.adjacent(a);
        missing.reset(a);
        if (missing.any()) return Flaw{"not_clique", {a, missing.first()}};
    }
    if (!insert) return {};
    std::vector<int> from(g.size(), -1), queue{y};  // a semi-directed path from y to x that avoids K, breadth first
    for (std::size_t i = 0; i < queue.size(); ++i) {
        const int u = queue[i];
        ((g.ch[u] | g.ne[u]) - K).each([&](int v) {
            if (from[v] >= 0 || v == y) return;
            from[v] = u;
            queue.push_back(v);
        });
    }
    if (from[x] < 0) return {};
    std::vector<int> path;
    for (int v = x; v != y; v = from[v]) path.push_back(v);
    path.push_back(y);
    std::reverse(path.begin(), path.end());
    return Flaw{"open_path", path};
}

// All valid operators, one at a time.
template <int W>
class OperatorCursor {
    using B = Bits<W>;
    const Cpdag<W>* g_;
    B full_, K_, inserts_, deletes_;
    int y_ = -1;
    std::optional<Cliques<W>> cliques_;
    Reach<W> reach_;

  public:
    OperatorCursor(const Cpdag<W>& g, int max_degree) : g_(&g), full_(saturated(g, max_degree)) {}

    bool next(Operator<W>& op) {
        for (;;) {
            for (B* xs : {&inserts_, &deletes_}) {
                const int x = xs->first();
                if (x < 0) continue;
                xs->reset(x);
                op = {xs == &inserts_, x, y_, K_};
                return true;
            }
            while (!cliques_ || !cliques_->next(K_)) {
                if (++y_ >= g_->n) return false;
                cliques_.emplace(*g_, g_->ne[y_]);
                reach_.find(*g_, y_);
            }
            inserts_ = full_.test(y_) ? B{} : reach_.outside(base(*g_, y_), K_) - full_;
            deletes_ = g_->pa[y_] | K_;
        }
    }
};

}  // namespace czz
