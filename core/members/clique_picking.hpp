// The number of acyclic orientations without v-structures of a connected chordal graph, and uniform draws of them.
//
// Clique-Picking (Wienöbst, Bannach & Liśkiewicz, JMLR 24, 2023). Every orientation is counted at exactly one of the
// maximal cliques K with which one of its topological orders begins:
//
//     #(G) = Σ_K φ(K) Π_H #(H).
//
// The H are the components that remain undirected if K comes first. φ(K) is the number of orders of K of which no
// prefix is one of the sets X_1 ⊂ ... ⊂ X_l: with a clique tree rooted anywhere, these are the separators on the path
// from the root to K that are subsets of K. An orientation with such a prefix is counted at a clique nearer to the
// root. Over all depths, the number of different H is less than twice the number of maximal cliques of G.
#pragma once
#include "base/natural.hpp"
#include "graph/max_cardinality_search.hpp"
#include <map>
#include <stdexcept>
#include <unordered_map>

namespace czz {

// Only classes of a file that this package has not written have such components.
struct NotChordal : std::invalid_argument {
    NotChordal() : std::invalid_argument("the lines of a class are not chordal") {}
};

template <int W>
class CliquePicking {
    using B = Bits<W>;

  public:
    // The neighbors of the nodes 0 .. k - 1 of a connected chordal graph.
    explicit CliquePicking(std::vector<B> neighbors)
        : ne_(std::move(neighbors)), search_(ne_.size()), place_(ne_.size()), clique_of_(ne_.size()), factorial_{1} {
        const int k = int(ne_.size());
        for (int i = 1; i <= k; ++i) factorial_.push_back(factorial_.back() * Natural(u64(i)));
        number_of(B::first_n(k));
        for (std::size_t i = 0; i < problems_.size(); ++i) pose(i);
        // Every H is smaller than its G, so solving by increasing size finds all counts before they are needed.
        std::vector<std::vector<std::size_t>> of_size(std::size_t(k) + 1);
        for (std::size_t i = 0; i < problems_.size(); ++i)
            of_size[std::size_t(problems_[i].nodes.count())].push_back(i);
        for (const auto& same : of_size)
            for (std::size_t i : same) solve(problems_[i]);
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
            const Problem& problem = problems_[found->second];
            const Pick& pick = draw_pick(problem, rng);
            for (int v : draw_order(pick, rng)) order.push_back(v);
            parts.clear();
            each_part(problem, std::size_t(&pick - problem.picks.data()), [&](const B& H) { parts.push_back(H); });
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
    struct Link {  // of the clique tree
        std::size_t clique, separator;
    };
    struct Problem {
        B nodes;
        std::vector<Pick> picks;              // one per maximal clique
        std::vector<std::vector<Link>> tree;  // between them
        std::vector<B> separators;
        Natural count;
    };
    struct Part {
        B nodes;
        std::size_t parents, hangs_on;  // a separator, and a clique that holds it
    };
    struct Step {
        std::size_t clique, from, separator;
    };
    struct Hash {
        std::size_t operator()(const B& b) const { return std::size_t(b.hash(0)); }
    };

    std::vector<B> ne_;
    std::vector<Problem> problems_;  // the graph itself first
    std::unordered_map<B, u32, Hash> numbers_;
    MaxCardinalitySearch<W> search_;
    std::vector<int> place_, clique_of_;
    std::vector<Part> parts_;
    std::vector<std::size_t> part_of_;  // of a clique
    std::vector<Step> todo_;
    std::vector<Natural> factorial_;
    std::map<std::vector<int>, Natural> orders_;

    // The H for the clique K = root, in a topological order of what is directed between them, single nodes included.
    //
    // Walk the clique tree away from K. Let C be reached over the separator S, with the nodes C \ S new, from a clique
    // q of a component H whose nodes all have the directed parents X. If S lies within X, no node of H is joined with
    // a new one, and q becomes the clique that H hangs on. Otherwise let s be in S, but not in X. If X lies within S,
    // then s - x for the new x, which have the parents X as well: they join H. If not, there is a p in X but not in S,
    // so p -> s - x with p and x apart: s -> x, and with it S -> x for all of S. A component begins.
    template <class F>
    void each_part(const Problem& problem, std::size_t root, F&& f) {
        parts_.clear();
        todo_.assign(1, {root, root, 0});
        while (!todo_.empty()) {
            const auto [c, from, link] = todo_.back();
            todo_.pop_back();
            if (c != root) {
                const B& S = problem.separators[link];
                std::size_t q = from;
                while (q != root && subset(S, problem.separators[parts_[part_of_[q]].parents]))
                    q = parts_[part_of_[q]].hangs_on;
                if (q != root && subset(problem.separators[parts_[part_of_[q]].parents], S)) {
                    part_of_[c] = part_of_[q];
                    parts_[part_of_[q]].nodes |= problem.picks[c].clique - S;
                } else {
                    part_of_[c] = parts_.size();
                    parts_.push_back({problem.picks[c].clique - S, link, q});
                }
            }
            for (const Link& next : problem.tree[c])
                if (next.clique != from || c == root) todo_.push_back({next.clique, c, next.separator});
        }
        for (const Part& part : parts_) f(part.nodes);
    }

    u32 number_of(const B& nodes) {
        const auto [at, is_new] = numbers_.try_emplace(nodes, u32(problems_.size()));
        if (is_new) {
            problems_.push_back({});
            problems_.back().nodes = nodes;
        }
        return at->second;
    }

    // Finds the maximal cliques of problem i, the forbidden prefixes, and the parts.
    void pose(std::size_t i) {
        Problem problem = std::move(problems_[i]);  // the list grows
        plant_clique_tree(problem);
        part_of_.resize(std::max(part_of_.size(), problem.picks.size()));
        for (std::size_t root = 0; root < problem.picks.size(); ++root)
            each_part(problem, root, [&](const B& H) {
                if (H.count() > 1) problem.picks[root].parts.push_back(number_of(H));
            });
        problems_[i] = std::move(problem);
    }

    // The search finds the maximal cliques: one ends when the next node has no more visited neighbors than the node
    // before it (Blair & Peyton 1993). The visited neighbors of that node are the separator of the next clique, whose
    // parent is the clique of the last node in it.
    void plant_clique_tree(Problem& problem) {
        std::vector<std::size_t> parent;  // of clique c, over separator c; the first has none
        search_.begin(problem.nodes);
        B left = problem.nodes;
        for (int at = 0, before = -1; left.any(); ++at) {
            const int v = search_.next(), sees = search_.links(v);
            if (at > 0 && sees == before + 1) {
                if (!subset(problem.picks.back().clique, ne_[v])) throw NotChordal();
                problem.picks.back().clique.set(v);
            } else {
                B seen = ne_[v] & (problem.nodes - left);
                int last = -1;
                seen.each([&](int u) {
                    if (last < 0 || place_[u] > place_[last]) last = u;
                });
                if (last >= 0) {
                    B others = seen;
                    others.reset(last);
                    if (!subset(others, ne_[last])) throw NotChordal();
                }
                const std::size_t c = problem.picks.size();
                parent.push_back(last < 0 ? c : std::size_t(clique_of_[last]));
                problem.tree.emplace_back();
                if (last >= 0) {
                    problem.tree[c].push_back({parent[c], c});
                    problem.tree[parent[c]].push_back({c, c});
                }
                problem.separators.push_back(seen);
                seen.set(v);
                problem.picks.push_back({seen, {}, {}, {}});
            }
            place_[v] = at;
            clique_of_[v] = int(problem.picks.size()) - 1;
            before = sees;
            left.reset(v);
            search_.visit(v, ne_[v] & left);
        }
        for (std::size_t c = 0; c < parent.size(); ++c) {
            Pick& pick = problem.picks[c];
            // A node of K in a separator is in all cliques between, so each of these is a subset of the one before.
            for (std::size_t a = c; parent[a] != a; a = parent[a])
                if (subset(problem.separators[a], pick.clique)) pick.forbidden.push_back(problem.separators[a]);
            pick.forbidden.erase(std::unique(pick.forbidden.begin(), pick.forbidden.end()), pick.forbidden.end());
            std::reverse(pick.forbidden.begin(), pick.forbidden.end());
        }
    }

    // φ for a clique of the last of these sizes with forbidden prefixes of the other sizes: all orders, minus, for each
    // i, those whose first forbidden prefix is X_i. It depends on the sizes only, which recur.
    const Natural& orders(const std::vector<int>& sizes) {
        const auto known = orders_.find(sizes);
        if (known != orders_.end()) return known->second;
        const int k = sizes.back();
        Natural phi = factorial_[k];
        for (std::size_t i = 0; i + 1 < sizes.size(); ++i)
            phi -= factorial_[k - sizes[i]] * orders({sizes.begin(), sizes.begin() + std::ptrdiff_t(i) + 1});
        return orders_.emplace(sizes, std::move(phi)).first->second;
    }

    void solve(Problem& problem) {
        for (Pick& pick : problem.picks) {
            std::vector<int> sizes;
            for (const B& x : pick.forbidden) sizes.push_back(x.count());
            sizes.push_back(pick.clique.count());
            pick.weight = orders(sizes);
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

    // A uniform order without a forbidden prefix, by rejection. At least half of all orders are accepted: the share is
    // least, 1/2, for two or three nodes with all proper prefixes forbidden.
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
