// The parent sets of nodes over the members of listed classes, and which nodes are then below.
//
// In class γ the parents of x are Pa(x) ∪ K, K a clique of Ne(x). The members with these parents are those of the graph
// in which K -> x and x -> Ne(x) \ K are oriented and Meek's rules applied, so their share of the class is a ratio of
// counts, and it depends on the component of x alone. In all of them the nodes below x are the same:
//
//     desc(x) ∪ ⋃ {u ∪ desc(u) : u reached from some w in Ne(x) \ K inside the component, avoiding Ne(x) and x}.
//
// A path w - ... - u without chords that avoids Ne(x) is directed away from x by Meek's first rule. Any other u of the
// component is separated from x by K, and a path from x through K would be a cycle.
//
// The same holds for classes with all that knowledge orients (members/agreeing.hpp), with buckets for components; for
// buckets that have arrows inside see members/restricted_choices.hpp.
//
// A given node, such as a condition or the past of a series, has no parents; its set is that of the other given nodes
// that are above y as well.
#pragma once
#include "base/index_table.hpp"
#include "graph/meek.hpp"
#include "graph/record_walk.hpp"
#include "members/restricted_choices.hpp"

namespace czz {

// A node has too many parent sets in a class (node is at least 0), or the table has too many numbers (node is -1).
struct TooManyParentSets {
    int node;
    u64 limit;
};

// All choices for a node x; `neighbors` is the component. Returns an empty list if there are more than `most`.
template <int W>
std::vector<ParentChoice<W>> parent_choices(const std::vector<Bits<W>>& neighbors, int x, u64 most, ClassSizes& sizes) {
    using B = Bits<W>;
    const B& around = neighbors[x];
    std::vector<B> cliques = cliques_among(around, most, [&](int v) -> const B& { return neighbors[v]; });
    std::vector<B> reach(neighbors.size());  // of the neighbors of x
    B barred = around;
    barred.set(x);
    around.each([&](int w) {
        B front = B::one(w);
        reach[w] = front;
        for (int v; (v = front.first()) >= 0;) {
            front.reset(v);
            const B fresh = neighbors[v] - barred - reach[w];
            reach[w] |= fresh;
            front |= fresh;
        }
    });
    std::vector<ParentChoice<W>> choices;
    choices.reserve(cliques.size());
    const B all = B::first_n(int(neighbors.size()));
    Orienting<W> graph(neighbors.size());
    NeighborLists lines(neighbors.size());  // that remain
    double most_log = 0, sum = 0;
    for (B& K : cliques) {
        graph.begin(all, neighbors);
        K.each([&](int u) { graph.orient(u, x); });
        B below;
        (around - K).each([&](int w) {
            graph.orient(x, w);
            below |= reach[w];
        });
        // Their components are independent of each other, as all lines at one node are oriented (Hauser & Bühlmann
        // 2012).
        for (std::size_t v = 0; v < lines.size(); ++v) {
            lines[v].clear();
            graph.ne[v].each([&](int u) { lines[v].push_back(u); });
        }
        choices.push_back({std::move(K), std::move(below), sizes.log_size(lines)});
        most_log = std::max(most_log, choices.back().share);
    }
    for (auto& c : choices) sum += c.share = std::exp(c.share - most_log);
    for (auto& c : choices) c.share /= sum;
    return choices;
}

// A table with one row per distinct (cause x, parents S): the sum of value · share over the classes that were added,
// and for every node y the sum over those in which y is below x.
struct ParentSetsInterface {
    virtual ~ParentSetsInterface() = default;
    // Adds listed classes, each with its value; those with value 0 are skipped. After an exception the table is of no
    // further use.
    virtual void add(const Records& r, const double* value) = 0;
    // The sums over the classes of each batch of value · Σ_S share · [y below x] · coefficient(row, y), where rows are
    // those of the table: out has, for every batch, cause and y, this sum and that with coefficient 1. `changes` counts
    // for every cause and y how often the two summands, without value, differ between successive classes. Sets that are
    // not in the table are left out.
    virtual void batch_sums(const Records& r, const double* value, const u32* batch, const double* coefficient,
                            double* out, std::int64_t* changes) = 0;
    // For every class the share of members in which y is below the one cause.
    virtual void below_shares(const Records& r, int y, double* out) = 0;

    std::vector<int> causes;            // ascending
    std::vector<int> cause;             // of a row, as an index into `causes`
    std::vector<double> weight, below;  // the sums; `below` has n numbers per row
    std::vector<u64> begin{0};          // members of the set of row i: member[begin[i]] .. member[begin[i + 1] - 1]
    std::vector<int> member;
};

template <int W>
class ParentSets final : public ParentSetsInterface {
    using B = Bits<W>;

  public:
    // With one_row there is a single row per cause, without parents, for sums over all sets. For a cause that is among
    // the `given` nodes, the sets are those of the given nodes above y.
    ParentSets(int n, std::vector<int> of, const std::vector<int>& given, bool one_row, u64 most_choices,
               u64 most_numbers)
        : n_(n), one_row_(one_row), most_choices_(most_choices), most_numbers_(most_numbers),
          marks_(pair_index(0, std::max(1, n))), neighbors_(std::size_t(n)), in_(std::size_t(n)), out_(std::size_t(n)),
          desc_(std::size_t(n)), known_(std::size_t(n)), place_(std::size_t(n), -1), index_(1024) {
        causes = std::move(of);
        for (int v : given) given_.set(v);
        for (std::size_t i = 0; i < causes.size(); ++i) place_[std::size_t(causes[i])] = int(i);
    }

    void add(const Records& r, const double* value) override {
        walk(r, [&](std::size_t i) {
            if (value[i] == 0) return;
            each_choice([&](int c, const B& set, double share, const B& nodes) {
                const std::size_t row = row_of(c, set);
                weight[row] += value[i] * share;
                double* to = below.data() + row * std::size_t(n_);
                nodes.each([&](int y) { to[y] += value[i] * share; });
            });
        });
    }

    void batch_sums(const Records& r, const double* value, const u32* batch, const double* coefficient, double* out,
                    std::int64_t* changes) override {
        const std::size_t n = std::size_t(n_), size = 2 * causes.size() * n;
        std::vector<double> now(size), before;
        walk(r, [&](std::size_t i) {
            if (value[i] == 0) return;
            std::fill(now.begin(), now.end(), 0.0);
            each_choice([&](int c, const B& set, double share, const B& nodes) {
                const u32 row = find(c, set);
                if (row == IndexTable::kNone) return;
                const double* b = coefficient + row * n;
                double* to = now.data() + 2 * std::size_t(c) * n;
                nodes.each([&](int y) {
                    to[2 * y] += share * b[y];
                    to[2 * y + 1] += share;
                });
            });
            double* sums = out + batch[i] * size;
            for (std::size_t k = 0; k < size; ++k) sums[k] += value[i] * now[k];
            if (!before.empty())
                for (std::size_t k = 0; k < size; ++k) changes[k] += now[k] != before[k];
            before = now;
        });
    }

    void below_shares(const Records& r, int y, double* out) override {
        walk(r, [&](std::size_t i) {
            out[i] = 0;
            each_choice([&](int, const B&, double share, const B& nodes) { out[i] += nodes.test(y) ? share : 0; });
        });
    }

  private:
    struct Shape {
        std::vector<B> neighbors;
        std::vector<std::vector<ParentChoice<W>>> choices;  // of each node; empty until they are needed
    };
    static constexpr u64 kMostKept = 1 << 20;  // choices of shapes that are kept; beyond, all are forgotten

    int n_;
    bool one_row_;
    u64 most_choices_, most_numbers_, kept_ = 0;
    std::vector<std::uint8_t> marks_;
    NeighborLists neighbors_;
    std::vector<B> in_, out_, desc_;   // of the class: both ends of a line have it in `in` and in `out`
    std::vector<std::uint8_t> known_;  // whether desc is computed for the class
    B given_;
    std::vector<int> place_;  // of a node among the causes, or -1
    std::vector<B> sets_;     // of the rows
    IndexTable index_;
    std::unordered_map<ClassHash, Shape, HashOfName> shapes_;
    ClassSizes sizes_;

    template <class F>
    void walk(const Records& r, F&& visit) {  // it begins and ends at the graph without edges
        walk_records(r, [&](u64 pair, std::uint8_t change) { toggle(pair, change); }, std::forward<F>(visit));
    }
    void toggle(u64 pair, std::uint8_t change) {
        const auto [a, b] = pair_ends(pair);
        const bool was_line = marks_[pair] == kLine;
        marks_[pair] ^= change;
        if (change & kForward) {
            out_[a].flip(b);
            in_[b].flip(a);
        }
        if (change & kBackward) {
            out_[b].flip(a);
            in_[a].flip(b);
        }
        if ((marks_[pair] == kLine) == was_line) return;
        if (was_line) {
            std::erase(neighbors_[a], b);
            std::erase(neighbors_[b], a);
        } else {
            neighbors_[a].push_back(b);
            neighbors_[b].push_back(a);
        }
    }

    // The nodes below v by directed paths, without v.
    const B& desc(int v) {
        if (!known_[v]) {
            known_[v] = 1;
            const B children = out_[v] - in_[v];
            B found = children;
            children.each([&](int c) { found |= desc(c); });
            desc_[v] = std::move(found);
        }
        return desc_[v];
    }

    // Calls f(number of the cause, parents, share, nodes below) for all causes and parent sets of the present class.
    template <class F>
    void each_choice(F&& f) {
        std::fill(known_.begin(), known_.end(), std::uint8_t(0));
        for (std::size_t c = 0; c < causes.size(); ++c)
            if (given_.test(causes[c])) each_outcome(int(c), f);
            else if (neighbors_[causes[c]].empty()) f(int(c), in_[causes[c]], 1.0, desc(causes[c]));
        if (kept_ > kMostKept) {
            shapes_.clear();
            kept_ = 0;
        }
        for (std::vector<Component> parts = components(neighbors_); Component& part : parts) {
            add_inner_arrows(part);
            Shape* shape = nullptr;
            for (std::size_t i = 0; i < part.nodes.size(); ++i) {
                const int x = part.nodes[i], c = place_[x];
                if (c < 0) continue;
                if (!shape) shape = &shape_of(part);
                const B fixed = in_[x] - out_[x];
                for (const ParentChoice<W>& choice : choices_of(*shape, part, int(i), x)) {
                    B set = fixed, nodes = desc(x);
                    choice.parents.each([&](int u) { set.set(part.nodes[u]); });
                    choice.below.each([&](int u) {
                        nodes.set(part.nodes[u]);
                        nodes |= desc(part.nodes[u]);
                    });
                    f(c, set, choice.share, nodes);
                }
            }
        }
    }
    // Given nodes have no lines, and may depend on each other without an edge that shows it, so the effect of one on y
    // is adjusted for the others above y. These are the same in all members: v -> w - u has v -> u, or Meek's first
    // rule orients w -> u.
    template <class F>
    void each_outcome(int c, F&& f) {
        const int x = causes[std::size_t(c)];
        B left = desc(x);
        if (!left.any()) return f(c, B{}, 1.0, left);
        for (int y; (y = left.first()) >= 0;) {
            B set, nodes = left;
            (given_ - B::one(x)).each([&](int v) {
                if (desc(v).test(y)) {
                    set.set(v);
                    nodes &= desc(v);
                } else {
                    nodes -= desc(v);
                }
            });
            f(c, set, 1.0, nodes);
            left -= nodes;
        }
    }
    Shape& shape_of(const Component& part) {
        const auto [at, is_new] = shapes_.try_emplace(part.name());
        Shape& shape = at->second;
        if (is_new) {
            shape.neighbors.resize(part.nodes.size());
            shape.choices.resize(part.nodes.size());
            for (auto [a, b] : part.lines) {
                shape.neighbors[a].set(b);
                shape.neighbors[b].set(a);
            }
        }
        return shape;
    }
    // Arrows within a component come from knowledge.
    void add_inner_arrows(Component& part) const {
        B nodes;
        for (int v : part.nodes) nodes.set(v);
        auto number = [&](int v) { return int(std::ranges::lower_bound(part.nodes, v) - part.nodes.begin()); };
        for (int v : part.nodes)
            ((in_[v] - out_[v]) & nodes).each([&](int u) { part.arrows.emplace_back(number(u), number(v)); });
    }
    const std::vector<ParentChoice<W>>& choices_of(Shape& shape, const Component& part, int i, int x) {
        auto& choices = shape.choices[i];
        if (choices.empty()) {
            try {
                choices = part.arrows.empty() ? parent_choices<W>(shape.neighbors, i, most_choices_, sizes_)
                                              : restricted_choices<W>(part, i, most_choices_);
            } catch (const TooManySplits&) {
                throw TooManyParentSets{x, kMostSplits};
            }
            if (choices.empty()) throw TooManyParentSets{x, most_choices_};
            kept_ += choices.size();
        }
        return choices;
    }

    u64 hash(int c, const B& set) const { return set.hash(u64(c) + 1); }
    u32 find(int c, const B& set) const {
        const B& key = one_row_ ? kEmpty : set;
        return index_.find(hash(c, key), [&](u32 row) { return cause[row] == c && sets_[row] == key; });
    }
    std::size_t row_of(int c, const B& set) {
        const u32 found = find(c, set);
        if (found != IndexTable::kNone) return found;
        const u32 row = u32(cause.size());
        if ((u64(row) + 1) * u64(n_) > most_numbers_) throw TooManyParentSets{-1, most_numbers_};
        const B& key = one_row_ ? kEmpty : set;
        cause.push_back(c);
        sets_.push_back(key);
        weight.push_back(0);
        below.resize(below.size() + std::size_t(n_));
        key.each([&](int v) { member.push_back(v); });
        begin.push_back(member.size());
        if (index_.crowded(row + 1u)) {
            index_.clear(2 * index_.slots());
            for (u32 i = 0; i < row; ++i) index_.insert(hash(cause[i], sets_[i]), i);
        }
        index_.insert(hash(c, key), row);
        return row;
    }
    inline static const B kEmpty{};
};

inline std::unique_ptr<ParentSetsInterface> make_parent_sets(int n, std::vector<int> causes,
                                                             const std::vector<int>& given, bool one_row,
                                                             u64 most_choices, u64 most_numbers) {
    auto make = [&]<int W>() -> std::unique_ptr<ParentSetsInterface> {
        return std::make_unique<ParentSets<W>>(n, std::move(causes), given, one_row, most_choices, most_numbers);
    };
    if (n <= 64) return make.template operator()<1>();
    if (n <= 256) return make.template operator()<4>();
    return make.template operator()<0>();
}

}  // namespace czz
