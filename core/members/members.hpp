// The DAGs of a class: their number, and uniform draws. Components are oriented independently of each other.
#pragma once
#include "graph/record_walk.hpp"
#include "members/clique_picking.hpp"
#include <memory>

namespace czz {

using NeighborLists = std::vector<std::vector<int>>;
using Pairs = std::vector<std::pair<int, int>>;

// A component of more than one node; its lines join the numbers 0 .. k - 1 of its nodes in increasing order.
struct Component {
    std::vector<int> nodes;
    Pairs lines;  // a < b
};

inline std::vector<Component> components(const NeighborLists& neighbors) {
    std::vector<Component> found;
    std::vector<int> number(neighbors.size(), -1);
    for (std::size_t start = 0; start < neighbors.size(); ++start) {
        if (neighbors[start].empty() || number[start] >= 0) continue;
        Component c{{int(start)}, {}};
        number[start] = 0;
        for (std::size_t i = 0; i < c.nodes.size(); ++i)
            for (int u : neighbors[c.nodes[i]])
                if (number[u] < 0) {
                    number[u] = 0;
                    c.nodes.push_back(u);
                }
        std::sort(c.nodes.begin(), c.nodes.end());
        for (std::size_t i = 0; i < c.nodes.size(); ++i) number[c.nodes[i]] = int(i);
        for (int v : c.nodes)
            for (int u : neighbors[v])
                if (u < v) c.lines.emplace_back(number[u], number[v]);
        found.push_back(std::move(c));
    }
    return found;
}

// The orientations of a component of any width.
struct Orientations {
    virtual ~Orientations() = default;
    virtual const Natural& count() const = 0;
    virtual std::vector<int> draw(Rng& rng) = 0;
};

template <int W>
struct OrientationsOf final : Orientations {
    CliquePicking<W> picking;
    explicit OrientationsOf(std::vector<Bits<W>> neighbors) : picking(std::move(neighbors)) {}
    const Natural& count() const override { return picking.count(); }
    std::vector<int> draw(Rng& rng) override { return picking.draw(rng); }
};

inline std::unique_ptr<Orientations> orientations(const Component& c) {
    auto make = [&]<int W>() -> std::unique_ptr<Orientations> {
        std::vector<Bits<W>> neighbors(c.nodes.size());
        for (auto [a, b] : c.lines) {
            neighbors[a].set(b);
            neighbors[b].set(a);
        }
        return std::make_unique<OrientationsOf<W>>(std::move(neighbors));
    };
    if (c.nodes.size() <= 256) return make.template operator()<4>();
    return make.template operator()<0>();
}

class Members {
    int n_;
    Pairs arrows_;
    std::vector<Component> components_;
    std::vector<std::unique_ptr<Orientations>> orientations_;

  public:
    Members(int n, Pairs arrows, const Pairs& lines) : n_(n), arrows_(std::move(arrows)) {
        NeighborLists neighbors(static_cast<std::size_t>(n));
        for (auto [a, b] : lines) {
            neighbors[a].push_back(b);
            neighbors[b].push_back(a);
        }
        components_ = components(neighbors);
        for (const Component& c : components_) orientations_.push_back(orientations(c));
    }

    Natural count() const {
        Natural product(1);
        for (const auto& o : orientations_) product *= o->count();
        return product;
    }

    // Writes a uniform member: out[i * n + j] = 1 for i -> j; out must be zero.
    void draw(Rng& rng, std::uint8_t* out) {
        auto join = [&](int a, int b) { out[std::size_t(a) * std::size_t(n_) + std::size_t(b)] = 1; };
        for (auto [a, b] : arrows_) join(a, b);
        std::vector<int> place;
        for (std::size_t i = 0; i < components_.size(); ++i) {
            const Component& c = components_[i];
            const std::vector<int> order = orientations_[i]->draw(rng);
            place.resize(order.size());
            for (std::size_t at = 0; at < order.size(); ++at) place[order[at]] = int(at);
            for (auto [a, b] : c.lines)
                if (place[a] < place[b]) join(c.nodes[a], c.nodes[b]);
                else join(c.nodes[b], c.nodes[a]);
        }
    }
};

// The logarithms of the sizes of many classes. Most components occur in many classes; each is counted once and
// identified, as classes are, by a 128-bit hash.
class ClassSizes {
    struct Low {
        std::size_t operator()(const ClassHash& h) const { return std::size_t(h.lo); }
    };
    std::unordered_map<ClassHash, double, Low> known_;

  public:
    double log_size(const NeighborLists& neighbors) {
        double sum = 0;
        for (const Component& c : components(neighbors)) {
            ClassHash name;
            for (auto [a, b] : c.lines) name.toggle(pair_index(a, b), kLine);
            const auto [at, is_new] = known_.try_emplace(name);
            if (is_new) at->second = orientations(c)->count().log();
            sum += at->second;
        }
        return sum;
    }
};

// The logarithms of the sizes of all listed classes of a chain.
inline std::vector<double> log_class_sizes(int n, const Records& r) {
    std::vector<std::uint8_t> marks(pair_index(0, std::max(1, n)));
    NeighborLists neighbors(static_cast<std::size_t>(n));
    std::vector<double> sizes(r.count);
    ClassSizes known;
    walk_records(
        r,
        [&](u64 pair, std::uint8_t change) {
            const bool was_line = marks[pair] == kLine;
            marks[pair] ^= change;
            if ((marks[pair] == kLine) == was_line) return;
            const auto [a, b] = pair_ends(pair);
            if (was_line) {
                std::erase(neighbors[a], b);
                std::erase(neighbors[b], a);
            } else {
                neighbors[a].push_back(b);
                neighbors[b].push_back(a);
            }
        },
        [&](std::size_t i) { sizes[i] = known.log_size(neighbors); });
    return sizes;
}

}  // namespace czz
