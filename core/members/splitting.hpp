// Orientations of a bucket with arrows: their number, and uniform draws, by splitting at the source.
//
// A bucket is a set of nodes that lines connect in a graph that is maximal in the sense of graph/meek.hpp. All its
// nodes have the same parents outside, as for components, so buckets are oriented independently. Without an arrow
// inside, Clique-Picking counts its orientations. With arrows, counting is hard in general (it contains the number of
// linear extensions of an order), so this is exact for small buckets and gives up on others: every orientation has
// exactly one source s; with s -> v for all its neighbors and what follows, smaller buckets remain, each of which
// is solved once.
#pragma once
#include "graph/meek.hpp"
#include "members/clique_picking.hpp"
#include "members/members.hpp"

namespace czz {

template <int W>
class Splitting {
    using B = Bits<W>;

  public:
    // The arrows and lines of the nodes 0 .. k - 1.
    Splitting(const std::vector<std::pair<int, int>>& arrows, const std::vector<std::pair<int, int>>& lines,
              std::size_t k)
        : k_(k) {
        std::vector<B> pa(k), ch(k), ne(k);
        for (auto [a, b] : arrows) {
            pa[std::size_t(b)].set(a);
            ch[std::size_t(a)].set(b);
        }
        for (auto [a, b] : lines) {
            ne[std::size_t(a)].set(b);
            ne[std::size_t(b)].set(a);
        }
        Orienting<W> whole(k);
        for (int v = 0; v < int(k); ++v)
            whole.begin_node(v, pa[std::size_t(v)], ch[std::size_t(v)], ne[std::size_t(v)]);
        number_of(B::first_n(int(k)), whole);
    }
    const Natural& count() const { return buckets_[0]->count; }

    // A topological order of a uniform orientation.
    std::vector<int> draw(Rng& rng) {
        std::vector<B> parents(k_);
        std::vector<u32> todo{0};
        while (!todo.empty()) {
            Bucket& bucket = *buckets_[todo.back()];
            todo.pop_back();
            bucket.nodes.each([&](int v) { parents[std::size_t(v)] |= bucket.graph.pa[std::size_t(v)]; });
            if (bucket.picking) {
                draw_without_arrows(bucket, rng, parents);
                continue;
            }
            Natural height = Natural::uniform_below(bucket.count, rng);
            std::size_t i = 0;
            for (; !(height < bucket.sources[i].weight); ++i) height -= bucket.sources[i].weight;
            Orienting<W> split = bucket.graph;
            begin_at(split, bucket.sources[i].node);
            bucket.nodes.each([&](int v) { parents[std::size_t(v)] |= split.pa[std::size_t(v)]; });
            each_part(bucket.nodes, split, [&](const B& part) { todo.push_back(number_of(part, split)); });
        }
        std::vector<int> order;
        B placed;
        while (order.size() < k_)
            for (int v = 0; v < int(k_); ++v)
                if (!placed.test(v) && subset(parents[std::size_t(v)], placed)) {
                    placed.set(v);
                    order.push_back(v);
                }
        return order;
    }

  private:
    struct Source {
        int node;
        Natural weight;
    };
    struct Bucket {
        B nodes;
        Orienting<W> graph;
        std::vector<Source> sources;
        std::unique_ptr<CliquePicking<W>> picking;  // where there is no arrow
        Natural count;
    };
    std::size_t k_, splits_ = 0;
    std::vector<std::unique_ptr<Bucket>> buckets_;  // the whole one first
    std::unordered_map<ClassHash, u32, HashOfName> numbers_;

    static bool begin_at(Orienting<W>& graph, int source) {
        const B lines = graph.ne[std::size_t(source)];
        bool possible = true;
        lines.each([&](int v) { possible = possible && graph.orient(source, v); });
        return possible;
    }
    template <class F>
    static void each_part(B nodes, const Orienting<W>& graph, F&& f) {
        while (nodes.any()) {
            B part = B::one(nodes.first()), front = part;
            for (int u; (u = front.first()) >= 0;) {
                front.reset(u);
                const B fresh = graph.ne[std::size_t(u)] - part;
                part |= fresh;
                front |= fresh;
            }
            nodes -= part;
            if (part.count() > 1) f(part);
        }
    }
    static void draw_without_arrows(Bucket& bucket, Rng& rng, std::vector<B>& parents) {
        const std::vector<int> names = bucket.nodes.list();
        B before;
        for (int i : bucket.picking->draw(rng)) {
            const int v = names[std::size_t(i)];
            parents[std::size_t(v)] |= bucket.graph.ne[std::size_t(v)] & before;
            before.set(v);
        }
    }
    u32 number_of(const B& nodes, const Orienting<W>& graph) {
        ClassHash name;
        bool arrows = false;
        nodes.each([&](int v) {
            const B lower = nodes & B::first_n(v);
            (lower & graph.ne[std::size_t(v)]).each([&](int u) { name.toggle(pair_index(u, v), kLine); });
            (lower & graph.pa[std::size_t(v)]).each([&](int u) { name.toggle(pair_index(u, v), kForward); });
            (lower & graph.ch[std::size_t(v)]).each([&](int u) { name.toggle(pair_index(u, v), kBackward); });
            arrows = arrows || meets(nodes, graph.pa[std::size_t(v)]);
        });
        const auto [at, is_new] = numbers_.try_emplace(name, u32(buckets_.size()));
        const u32 number = at->second;
        if (!is_new) return number;
        buckets_.push_back(std::make_unique<Bucket>(Bucket{nodes, Orienting<W>(k_), {}, nullptr, {}}));
        Bucket& bucket = *buckets_.back();
        nodes.each([&](int v) {
            const std::size_t V = std::size_t(v);
            bucket.graph.begin_node(v, graph.pa[V] & nodes, graph.ch[V] & nodes, graph.ne[V]);
        });
        if (arrows) split(bucket);
        else pick(bucket);
        return number;
    }
    void pick(Bucket& bucket) {
        const std::vector<int> names = bucket.nodes.list();
        std::vector<B> neighbors(names.size());
        for (std::size_t i = 0; i < names.size(); ++i)
            for (std::size_t j = 0; j < names.size(); ++j)
                if (bucket.graph.ne[std::size_t(names[i])].test(names[j])) neighbors[i].set(int(j));
        bucket.picking = std::make_unique<CliquePicking<W>>(std::move(neighbors));
        bucket.count = bucket.picking->count();
    }
    void split(Bucket& bucket) {
        if (++splits_ > kMostSplits) throw TooManySplits{};
        for (int s : bucket.nodes.list()) {
            if (bucket.graph.pa[std::size_t(s)].any()) continue;
            Orienting<W> graph = bucket.graph;
            if (!begin_at(graph, s)) continue;
            Natural weight(1);
            each_part(bucket.nodes, graph, [&](const B& part) { weight *= buckets_[number_of(part, graph)]->count; });
            bucket.count += weight;
            bucket.sources.push_back({s, std::move(weight)});
        }
    }
};

}  // namespace czz
