// The DAGs of a class: their number, and uniform draws. Components are oriented independently of each other.
//
// The same for the DAGs of a class that agree with knowledge: the graph is then the class with all orientations that
// follow from the knowledge (members/agreeing.hpp), and what is called a component is a bucket (members/splitting.hpp).
#pragma once
#include "base/natural.hpp"
#include "graph/arrows.hpp"
#include "graph/record_walk.hpp"
#include <algorithm>
#include <memory>
#include <unordered_map>

namespace czz {

// Thrown if a bucket has too many different smaller buckets.
struct TooManySplits {
    std::vector<int> nodes;
};
constexpr std::size_t kMostSplits = std::size_t(1) << 14;

struct HashOfName {
    std::size_t operator()(const ClassHash& h) const { return std::size_t(h.lo); }
};

using NeighborLists = std::vector<std::vector<int>>;

// A component of more than one node; its edges join the numbers 0 .. k - 1 of its nodes in increasing order.
struct Component {
    std::vector<int> nodes;
    Pairs lines;   // a < b
    Pairs arrows;  // of a bucket

    ClassHash name() const {
        ClassHash name;
        for (auto [a, b] : lines) name.toggle(pair_index(a, b), kLine);
        for (auto [a, b] : arrows)
            name.toggle(pair_index(std::min(a, b), std::max(a, b)), a < b ? kForward : kBackward);
        return name;
    }
};

// The component of a node by the lines. `number`, per node, must be −1 for its nodes, and then has their numbers in it.
inline Component component_at(int start, const NeighborLists& neighbors, std::vector<int>& number) {
    Component c{{start}, {}, {}};
    number[std::size_t(start)] = 0;
    for (std::size_t i = 0; i < c.nodes.size(); ++i)
        for (int u : neighbors[std::size_t(c.nodes[i])])
            if (number[std::size_t(u)] < 0) {
                number[std::size_t(u)] = 0;
                c.nodes.push_back(u);
            }
    std::sort(c.nodes.begin(), c.nodes.end());
    for (std::size_t i = 0; i < c.nodes.size(); ++i) number[std::size_t(c.nodes[i])] = int(i);
    for (int v : c.nodes)
        for (int u : neighbors[std::size_t(v)])
            if (u < v) c.lines.emplace_back(number[std::size_t(u)], number[std::size_t(v)]);
    return c;
}

// The components of the lines. Arrows within them are added if `each_arrow` is given: it calls its argument for every
// arrow of the graph.
template <class F = std::nullptr_t>
std::vector<Component> components(const NeighborLists& neighbors, F&& each_arrow = nullptr) {
    std::vector<Component> found;
    std::vector<int> number(neighbors.size(), -1);
    for (std::size_t start = 0; start < neighbors.size(); ++start) {
        if (neighbors[start].empty() || number[start] >= 0) continue;
        found.push_back(component_at(int(start), neighbors, number));
    }
    if constexpr (!std::is_same_v<std::remove_cvref_t<F>, std::nullptr_t>) {
        std::vector<std::size_t> owner(neighbors.size(), found.size());
        for (std::size_t i = 0; i < found.size(); ++i)
            for (int v : found[i].nodes) owner[std::size_t(v)] = i;
        each_arrow([&](int a, int b) {
            const std::size_t i = owner[std::size_t(a)];
            if (i < found.size() && i == owner[std::size_t(b)])
                found[i].arrows.emplace_back(number[std::size_t(a)], number[std::size_t(b)]);
        });
    }
    return found;
}

// The orientations of a component of any width.
struct Orientations {
    virtual ~Orientations() = default;
    virtual const Natural& count() const = 0;
    virtual std::vector<int> draw(Rng& rng) = 0;
};

// Throws TooManySplits. Compiled once, in orientations.cpp, because both the chains and the answers need it.
std::unique_ptr<Orientations> orientations(const Component& c);

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
        components_ = components(neighbors, [&](auto&& add) {
            for (auto [a, b] : arrows_) add(a, b);
        });
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
    std::unordered_map<ClassHash, double, HashOfName> known_;

  public:
    double log_size(const NeighborLists& neighbors) {
        double sum = 0;
        for (const Component& c : components(neighbors)) {
            const auto [at, is_new] = known_.try_emplace(c.name());
            if (is_new) at->second = orientations(c)->count().log();
            sum += at->second;
        }
        return sum;
    }
};

// Calls visit(i, neighbors) for every listed class of a chain, and change(a, b, before, after) for the pairs that
// change on the way.
template <class Change, class Visit>
void walk_lines(int n, const Records& r, Change&& change_pair, Visit&& visit) {
    std::vector<std::uint8_t> marks(pair_index(0, std::max(1, n)));
    NeighborLists neighbors(static_cast<std::size_t>(n));
    walk_records(
        r,
        [&](u64 pair, std::uint8_t change) {
            const auto before = Mark(marks[pair]);
            const auto after = Mark(marks[pair] ^= change);
            const auto [a, b] = pair_ends(pair);
            change_pair(a, b, before, after);
            if ((after == kLine) == (before == kLine)) return;
            if (before == kLine) {
                std::erase(neighbors[a], b);
                std::erase(neighbors[b], a);
            } else {
                neighbors[a].push_back(b);
                neighbors[b].push_back(a);
            }
        },
        [&](std::size_t i) { visit(i, neighbors); });
}

// The logarithms of the sizes of all listed classes of a chain.
inline std::vector<double> log_class_sizes(int n, const Records& r) {
    std::vector<double> sizes(r.count);
    ClassSizes known;
    walk_lines(
        n, r, [](int, int, Mark, Mark) {},
        [&](std::size_t i, const NeighborLists& neighbors) { sizes[i] = known.log_size(neighbors); });
    return sizes;
}

}  // namespace czz
