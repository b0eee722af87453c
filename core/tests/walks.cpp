// ForestWalk on random forests, and MaxCardinalitySearch on random chordal graphs.
#include "base/forest_walk.hpp"
#include "base/rng.hpp"
#include "graph/max_cardinality_search.hpp"
#include "tests/check.hpp"
#include <numeric>
#include <set>

using namespace czz;

namespace {

// The set of nodes whose edge to the parent was passed an odd number of times is the path from the root to here.
void check_forest(std::size_t count, Rng& rng) {
    std::vector<std::int64_t> parent(count);
    for (std::size_t i = 0; i < count; ++i) {
        parent[i] = std::int64_t(rng.below(int(i) + 1)) - 1;
        const bool orphan = parent[i] >= 0 && parent[std::size_t(parent[i])] == ForestWalk::kLeftOut;
        if (orphan || rng.uniform() < 0.2) parent[i] = ForestWalk::kLeftOut;
    }
    ForestWalk walk(count, [&](std::size_t i) { return parent[i]; });
    std::set<std::size_t> passed;
    auto pass = [&](std::size_t i) {
        if (!passed.insert(i).second) passed.erase(i);
    };
    std::set<std::int64_t> visited;
    for (std::int64_t i; (i = walk.next(pass)) >= 0;) {
        CHECK(visited.insert(i).second);
        std::set<std::size_t> path;
        for (std::int64_t a = i; a >= 0; a = parent[std::size_t(a)]) path.insert(std::size_t(a));
        CHECK(passed == path);
    }
    CHECK(passed.empty() && walk.next(pass) == -1);
    for (std::size_t i = 0; i < count; ++i)
        CHECK(visited.count(std::int64_t(i)) == (parent[i] != ForestWalk::kLeftOut));
}

// A random chordal graph: every node is joined with some members of a clique that is already there.
template <int W>
std::vector<Bits<W>> random_chordal(int n, Rng& rng) {
    std::vector<Bits<W>> ne(static_cast<std::size_t>(n)), cliques{{}};
    std::vector<int> name(static_cast<std::size_t>(n));
    std::iota(name.begin(), name.end(), 0);
    for (int i = n - 1; i > 0; --i) std::swap(name[std::size_t(i)], name[std::size_t(rng.below(i + 1))]);
    for (int v : name) {
        Bits<W> clique = rng.subset(cliques[std::size_t(rng.below(int(cliques.size())))]);
        clique.each([&](int u) {
            ne[std::size_t(u)].set(v);
            ne[std::size_t(v)].set(u);
        });
        clique.set(v);
        cliques.push_back(clique);
    }
    return ne;
}

template <int W>
void check_search(int n, Rng& rng) {
    const std::vector<Bits<W>> ne = random_chordal<W>(n, rng);
    MaxCardinalitySearch<W> search(ne.size());
    for (int again = 0; again < 2; ++again) {  // a second search begins afresh
        const Bits<W> nodes = again ? rng.subset(Bits<W>::first_n(n)) : Bits<W>::first_n(n);
        Bits<W> left = nodes;
        search.begin(nodes);
        while (left.any()) {
            const int v = search.next();
            int best = -1, most = -1;
            left.each([&](int u) {
                const int links = (ne[std::size_t(u)] & (nodes - left)).count();
                CHECK(search.links(u) == links);
                if (links > most) most = links, best = u;
            });
            CHECK(v == best);
            const Bits<W> before = ne[std::size_t(v)] & (nodes - left);
            before.each([&](int u) {
                Bits<W> others = before;
                others.reset(u);
                CHECK(subset(others, ne[std::size_t(u)]));  // a perfect order
            });
            left.reset(v);
            search.visit(v, ne[std::size_t(v)] & left);
        }
    }
}

}  // namespace

void test_walks() {
    Rng rng{{1, 3, 5, 7}};
    for (std::size_t count : {0, 1, 2, 10, 200})
        for (int k = 0; k < 20; ++k) check_forest(count, rng);
    for (int k = 0; k < 30; ++k) {
        check_search<1>(1 + rng.below(64), rng);
        check_search<4>(1 + rng.below(200), rng);
        check_search<0>(1 + rng.below(150), rng);
    }
}
