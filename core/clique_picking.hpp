// How many acyclic orientations without v-structures a connected chordal graph has, and a uniform one of them.
//
// Clique-Picking (Wienöbst, Bannach & Liśkiewicz, JMLR 24, 2023). An orientation is counted at one of the maximal
// cliques K with which a topological order of it may begin:
//
//     #(G) = Σ_K φ(K) Π_H #(H).
//
// The H are the components of what is left undirected where K comes before all else. φ(K) is the number of orders of K
// of which no first part is one of the sets X_1 ⊂ ... ⊂ X_l: with a clique tree rooted anywhere, these are the
// separators on the path from the root to K that lie within K. An orientation that begins so is counted nearer to the
// root. There are fewer than twice as many different H, at all depths, as G has maximal cliques.
#pragma once
#include "natural.hpp"
#include <numeric>
#include <unordered_map>

namespace czz {

template <int W>
class CliquePicking {
    using B = Bits<W>;

  public:
    // The neighbors of the nodes 0 .. k - 1 of a connected chordal graph.
    explicit CliquePicking(std::vector<B> neighbors)
        : ne_(std::move(neighbors)), links_(ne_.size()), place_(ne_.size()), clique_of_(ne_.size()),
          bucket_(ne_.size() + 1), factorial_{1} {
        const int k = int(ne_.size());
        for (int i = 1; i <= k; ++i) factorial_.push_back(factorial_.back() * Natural(u64(i)));
        number_of(B::first_n(k));
        for (std::size_t i = 0; i < problems_.size(); ++i) pose(i);
        // Every H is smaller than its G, so in the order of their sizes all is known when it is needed.
        std::vector<std::size_t> by_size(problems_.size());
        std::iota(by_size.begin(), by_size.end(), 0);
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return problems_[a].nodes.count() < problems_[b].nodes.count();
        });
        for (std::size_t i : by_size) solve(problems_[i]);
    }

    const Natural& count() const { return problems_[0].count; }

    // A topological order of a uniform orientation.
    std::vector<int> draw(Rng& rng) {
        std::vector<int> order;
        std::vector<B> todo{problems_[0].nodes}, parts;
        while (!todo.empty()) {
            const B nodes = std::move(todo.back());
            todo.pop_back();
            const auto found = numbers_.find(nodes);
            if (found == numbers_.end()) {  // one node
                order.push_back(nodes.first());
                continue;
            }
            const Pick& pick = draw_pick(problems_[found->second], rng);
            for (int v : draw_order(pick, rng)) order.push_back(v);
            parts.clear();
            each_part(nodes, pick.clique, [&](const B& H) { parts.push_back(H); });
            todo.insert(todo.end(), parts.rbegin(), parts.rend());
        }
        return order;
    }

  private:
    struct Pick {
        B clique;
        std::vector<B> forbidden;  // X_1 ⊂ ... ⊂ X_l
        std::vector<u32> parts;    // the numbers of the H of more than one node
        Natural weight;
    };
    struct Problem {
        B nodes;
        std::vector<Pick> picks;
        Natural count;
    };
    struct Hash {
        std::size_t operator()(const B& b) const { return std::size_t(b.hash(0)); }
    };

    std::vector<B> ne_;
    std::vector<Problem> problems_;  // the graph itself first
    std::unordered_map<B, u32, Hash> numbers_;
    std::vector<int> links_, place_, clique_of_;
    std::vector<B> bucket_;
    B left_;
    int top_ = 0;
    std::vector<Natural> factorial_;

    // Maximum cardinality search of the subgraph of `nodes`: bucket c holds those not visited that see c visited ones.
    void begin_search(const B& nodes) {
        nodes.each([&](int v) { links_[v] = 0; });
        bucket_[0] = left_ = nodes;
        top_ = 0;
    }
    void visit(int v) {
        bucket_[links_[v]].reset(v);
        left_.reset(v);
        (ne_[v] & left_).each([&](int t) {
            bucket_[links_[t]].reset(t);
            const int c = ++links_[t];
            if (c > top_) {
                bucket_[c] = B{};
                top_ = c;
            }
            bucket_[c].set(t);
        });
    }
    int next() {
        while (!bucket_[top_].any()) --top_;
        return bucket_[top_].first();
    }

    // The H of G[nodes] and K, in a topological order of what is directed between them, single nodes included.
    //
    // Of nodes that are joined and see equally many visited ones, all see the same ones, or a v-structure would follow.
    // So where v is next, those it is connected with in its bucket are still alike: any of them could be the first.
    // A node z beside them, of a lower bucket, sees fewer; with p -> h, h - z and no edge between p and z, h -> z.
    template <class F>
    void each_part(const B& nodes, const B& K, F&& f) {
        begin_search(nodes);
        K.each([&](int v) { visit(v); });
        B known = K;
        while (left_.any()) {
            const int v = next();
            if (!known.test(v)) {
                B H = B::one(v), front = H;
                for (int u; (u = front.first()) >= 0;) {
                    front.reset(u);
                    const B fresh = (ne_[u] & bucket_[top_]) - H;
                    H |= fresh;
                    front |= fresh;
                }
                known |= H;
                f(H);
            }
            visit(v);
        }
    }

    u32 number_of(const B& nodes) {
        const auto [at, is_new] = numbers_.try_emplace(nodes, u32(problems_.size()));
        if (is_new) problems_.push_back({nodes, {}, {}});
        return at->second;
    }

    // Find the maximal cliques of problem i, the sets that its orders must not begin with, and the parts.
    void pose(std::size_t i) {
        const B nodes = problems_[i].nodes;
        std::vector<Pick> picks = clique_tree(nodes);
        for (Pick& pick : picks)
            each_part(nodes, pick.clique, [&](const B& H) {
                if (H.count() > 1) pick.parts.push_back(number_of(H));
            });
        problems_[i].picks = std::move(picks);
    }

    // The search again gives the maximal cliques: one ends where the next node sees no more than the one before it
    // (Blair & Peyton 1993). It hangs on the clique of the last node in its separator, which is what it saw.
    std::vector<Pick> clique_tree(const B& nodes) {
        std::vector<Pick> cliques;
        std::vector<B> separator;
        std::vector<int> parent;
        begin_search(nodes);
        for (int at = 0, before = -1; left_.any(); ++at) {
            const int v = next(), sees = links_[v];
            if (sees == before + 1 && at > 0) {
                cliques.back().clique.set(v);
            } else {
                B seen = ne_[v] & (nodes - left_);
                int last = -1;
                seen.each([&](int u) {
                    if (last < 0 || place_[u] > place_[last]) last = u;
                });
                parent.push_back(last < 0 ? -1 : clique_of_[last]);
                separator.push_back(seen);
                seen.set(v);
                cliques.push_back({seen, {}, {}, {}});
            }
            place_[v] = at;
            clique_of_[v] = int(cliques.size()) - 1;
            before = sees;
            visit(v);
        }
        for (std::size_t c = 0; c < cliques.size(); ++c) {
            std::vector<B>& forbidden = cliques[c].forbidden;
            for (int a = int(c); parent[a] >= 0; a = parent[a])
                if (subset(separator[a], cliques[c].clique)) forbidden.push_back(separator[a]);
            std::sort(forbidden.begin(), forbidden.end(), [](const B& a, const B& b) { return a.count() < b.count(); });
            forbidden.erase(std::unique(forbidden.begin(), forbidden.end()), forbidden.end());
        }
        return cliques;
    }

    // φ: of all orders, take away those whose first forbidden part is X_i, for each i.
    Natural orders(const Pick& pick) const {
        std::vector<int> size;
        for (const B& x : pick.forbidden) size.push_back(x.count());
        size.push_back(pick.clique.count());
        std::vector<Natural> phi;
        for (std::size_t i = 0; i < size.size(); ++i) {
            phi.push_back(factorial_[size[i]]);
            for (std::size_t j = 0; j < i; ++j) phi[i] -= factorial_[size[i] - size[j]] * phi[j];
        }
        return phi.back();
    }

    void solve(Problem& problem) {
        for (Pick& pick : problem.picks) {
            pick.weight = orders(pick);
            for (u32 part : pick.parts) pick.weight *= problems_[part].count;
            problem.count += pick.weight;
        }
    }

    const Pick& draw_pick(const Problem& problem, Rng& rng) const {
        Natural height = Natural::uniform_below(problem.count, rng);
        std::size_t i = 0;
        for (; !(height < problem.picks[i].weight); ++i) height -= problem.picks[i].weight;
        return problem.picks[i];
    }

    // A uniform order that begins with no forbidden set: the first such among uniform ones. At least every other one
    // is: the share is least, 1/2, for two or three nodes and all first parts forbidden.
    static std::vector<int> draw_order(const Pick& pick, Rng& rng) {
        std::vector<int> order = pick.clique.list();
        for (;;) {
            for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[uniform_below(i, rng)]);
            B begun;
            std::size_t x = 0, i = 0;
            for (; x < pick.forbidden.size(); ++x) {
                const std::size_t size = std::size_t(pick.forbidden[x].count());
                while (i < size) begun.set(order[i++]);
                if (begun == pick.forbidden[x]) break;
            }
            if (x == pick.forbidden.size()) return order;
        }
    }
};

}  // namespace czz
