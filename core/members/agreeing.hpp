// Classes together with knowledge: whether they agree, what it orients, and the number of members that agree.
//
// The result of orienting is the class with every arrow that all its agreeing members have (Meek's maximally oriented
// PDAG). Components are oriented independently of each other, so what is found for one is kept for all classes that
// have it.
#pragma once
#include "graph/completion.hpp"
#include "graph/deltas.hpp"
#include "graph/meek.hpp"
#include "members/members.hpp"
#include <limits>

namespace czz {

// Which knowledge the mark of the pair a < b contradicts, whatever else the class has.
inline std::optional<Flaw> contradiction(const ArrowKnowledge& known, int a, int b, Mark mark) {
    switch (mark) {
    case kNone:
        if (known.is_required(a, b)) return Flaw{"missing", {a, b}};
        if (known.is_required(b, a)) return Flaw{"missing", {b, a}};
        return {};
    case kForward:
        if (known.is_barred(a, b)) return Flaw{"forbidden", {a, b}};
        return {};
    case kBackward:
        if (known.is_barred(b, a)) return Flaw{"forbidden", {b, a}};
        return {};
    case kLine:
        if (known.is_barred(a, b) && known.is_barred(b, a)) return Flaw{"joined", {a, b}};
    }
    return {};
}

// The arrows that knowledge gives to the lines of a component, between the numbers 0 .. k - 1.
template <int W>
std::variant<Pairs, Flaw> orient_component_of_width(const Component& c, const ArrowKnowledge& known) {
    Orienting<W> graph(c.nodes.size());
    std::vector<Bits<W>> neighbors(c.nodes.size());
    for (auto [a, b] : c.lines) {
        neighbors[std::size_t(a)].set(b);
        neighbors[std::size_t(b)].set(a);
    }
    graph.begin(Bits<W>::first_n(int(c.nodes.size())), neighbors);
    auto name = [&](int a) { return c.nodes[std::size_t(a)]; };
    for (auto [a, b] : c.lines) {
        if (auto flaw = contradiction(known, name(a), name(b), kLine)) return *flaw;
        const bool forward = known.is_barred(name(b), name(a));
        if (!forward && !known.is_barred(name(a), name(b))) continue;
        const int x = forward ? a : b, y = forward ? b : a;
        if (!graph.orient(x, y)) return Flaw{"against", {name(x), name(y)}};
    }
    Pairs arrows;
    for (int v = 0; v < int(c.nodes.size()); ++v)
        graph.pa[std::size_t(v)].each([&](int u) { arrows.emplace_back(u, v); });
    return arrows;
}

inline std::variant<Pairs, Flaw> orient_component(const Component& c, const ArrowKnowledge& known) {
    if (c.nodes.size() <= 64) return orient_component_of_width<1>(c, known);
    return orient_component_of_width<0>(c, known);
}

// A class with what knowledge orients, or why it disagrees: "missing" [x, y], a required arrow between nodes that are
// not adjacent; "forbidden" [x, y], an arrow of the class; "joined" [a, b], adjacent nodes with both arrows forbidden;
// "against" [x, y], x -> y follows from the knowledge, but the class and the rest of the knowledge compel y -> x.
struct OrientedGraph {
    Pairs arrows, lines;
};
inline std::variant<OrientedGraph, Flaw> orient_class(int n, Pairs arrows, const Pairs& lines,
                                                      const ArrowKnowledge& known) {
    std::vector<std::uint8_t> joined(pair_index(0, std::max(1, n)));
    auto number = [](int a, int b) { return std::size_t(pair_index(std::min(a, b), std::max(a, b))); };
    NeighborLists neighbors(static_cast<std::size_t>(n));
    for (auto [a, b] : arrows) {
        joined[number(a, b)] = 1;
        if (known.is_barred(a, b)) return Flaw{"forbidden", {a, b}};
    }
    for (auto [a, b] : lines) {
        joined[number(a, b)] = 1;
        neighbors[std::size_t(a)].push_back(b);
        neighbors[std::size_t(b)].push_back(a);
    }
    for (auto [a, b] : known.required())
        if (!joined[number(a, b)]) return Flaw{"missing", {a, b}};
    OrientedGraph out{std::move(arrows), {}};
    for (const Component& c : components(neighbors)) {
        auto oriented = orient_component(c, known);
        if (auto* flaw = std::get_if<Flaw>(&oriented)) return *flaw;
        for (auto [a, b] : std::get<Pairs>(oriented)) {
            const int x = c.nodes[std::size_t(a)], y = c.nodes[std::size_t(b)];
            out.arrows.emplace_back(x, y);
            joined[number(x, y)] = 2;
        }
    }
    for (auto [a, b] : lines)
        if (joined[number(a, b)] != 2) out.lines.emplace_back(a, b);
    return out;
}

// What knowledge makes of the components of many classes.
class AgreeingComponents {
  public:
    struct Known {
        bool agrees;
        std::vector<u32> deltas;  // from lines to arrows, see graph/deltas.hpp
        Component component;
        Pairs arrows;
        double log_size = std::numeric_limits<double>::quiet_NaN();  // not counted yet
    };

    explicit AgreeingComponents(const ArrowKnowledge& known) : arrows_(known) {}

    Known& operator[](const Component& c) {
        ClassHash name;  // of its lines between the nodes of the class, which knowledge tells apart
        for (auto [a, b] : c.lines) name.toggle(pair_index(c.nodes[std::size_t(a)], c.nodes[std::size_t(b)]), kLine);
        const auto [at, is_new] = known_.try_emplace(name);
        if (is_new) at->second = find(c);
        return at->second;
    }
    // Minus infinity for a component that disagrees. Throws TooManySplits.
    double log_size(const Component& c) {
        Known& known = (*this)[c];
        if (!known.agrees) return -std::numeric_limits<double>::infinity();
        if (std::isnan(known.log_size)) known.log_size = count(known);
        return known.log_size;
    }

  private:
    const ArrowKnowledge& arrows_;
    std::unordered_map<ClassHash, Known, HashOfName> known_;

    Known find(const Component& c) const {
        auto oriented = orient_component(c, arrows_);
        Known out{std::holds_alternative<Pairs>(oriented), {}, c, {}};
        if (!out.agrees) return out;
        out.arrows = std::get<Pairs>(std::move(oriented));
        for (auto [a, b] : out.arrows) {
            const int low = c.nodes[std::size_t(std::min(a, b))], high = c.nodes[std::size_t(std::max(a, b))];
            out.deltas.push_back(delta(low, high, u32(kLine ^ (a < b ? kForward : kBackward))));
        }
        return out;
    }
    static double count(const Known& known) {
        Pairs lines;
        std::vector<std::vector<char>> oriented(known.component.nodes.size());
        for (auto& row : oriented) row.resize(known.component.nodes.size());
        for (auto [a, b] : known.arrows) oriented[std::size_t(std::min(a, b))][std::size_t(std::max(a, b))] = 1;
        for (auto [a, b] : known.component.lines)
            if (!oriented[std::size_t(a)][std::size_t(b)]) lines.emplace_back(a, b);
        try {
            return Members(int(known.component.nodes.size()), known.arrows, lines).count().log();
        } catch (const TooManySplits& e) {
            TooManySplits named;
            for (int v : e.nodes) named.nodes.push_back(known.component.nodes[std::size_t(v)]);
            throw named;
        }
    }
};

// Calls visit(i, components, agrees) for every listed class of a chain; `agrees` is whether its arrows and missing
// edges agree, its components apart.
template <class Visit>
void walk_components(int n, const Records& r, const ArrowKnowledge& known, Visit&& visit) {
    std::size_t contradictions = known.required().size();
    walk_lines(
        n, r,
        [&](int a, int b, Mark before, Mark after) {
            contradictions += contradiction(known, a, b, after).has_value();
            contradictions -= contradiction(known, a, b, before).has_value();
        },
        [&](std::size_t i, const NeighborLists& neighbors) { visit(i, components(neighbors), contradictions == 0); });
}

// The logarithms of the numbers of agreeing members of all listed classes of a chain.
inline std::vector<double> log_class_sizes(int n, const Records& r, const ArrowKnowledge& known) {
    std::vector<double> sizes(r.count);
    AgreeingComponents all(known);
    walk_components(n, r, known, [&](std::size_t i, const std::vector<Component>& components, bool agrees) {
        sizes[i] = agrees ? 0 : -std::numeric_limits<double>::infinity();
        for (const Component& c : components) sizes[i] += all.log_size(c);
    });
    return sizes;
}

// The listed classes with all that knowledge orients, as records that differ from the same ones as before. A class that
// disagrees stays as it is.
struct OrientedRecords {
    std::vector<u64> begin;
    std::vector<u32> deltas;
    std::vector<std::uint8_t> agrees;
};
inline OrientedRecords orient_records(int n, const Records& r, const ArrowKnowledge& known) {
    OrientedRecords out{{0}, {}, std::vector<std::uint8_t>(r.count)};
    std::vector<u64> begin(r.count + 1);  // of what knowledge adds to each record, in the order of the walk
    std::vector<u64> end(r.count);
    std::vector<u32> added;
    AgreeingComponents all(known);
    walk_components(n, r, known, [&](std::size_t i, const std::vector<Component>& components, bool agrees) {
        begin[i] = added.size();
        for (const Component& c : components) {
            const auto& one = all[c];
            agrees = agrees && one.agrees;
            added.insert(added.end(), one.deltas.begin(), one.deltas.end());
        }
        if (!agrees) added.resize(begin[i]);
        end[i] = added.size();
        out.agrees[i] = agrees;
    });
    std::vector<u32> walked;
    for (std::size_t i = 0; i < r.count; ++i) {
        walked.assign(r.deltas + r.begin[i], r.deltas + r.begin[i + 1]);
        auto add = [&](std::size_t k) {
            walked.insert(walked.end(), added.begin() + std::ptrdiff_t(begin[k]),
                          added.begin() + std::ptrdiff_t(end[k]));
        };
        add(i);
        if (r.from[i] >= 0) add(std::size_t(r.from[i]));
        cancel(walked, out.deltas);
        out.begin.push_back(out.deltas.size());
    }
    return out;
}

}  // namespace czz
