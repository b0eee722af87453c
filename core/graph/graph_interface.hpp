// A class, and its operators, behind an interface that does not depend on the width of node sets.
#pragma once
#include "base/rng.hpp"
#include "graph/completion.hpp"
#include <memory>

namespace czz {

struct PlainOperator {
    bool insert;
    int x, y;
    std::vector<int> tails_or_heads;
};

struct OperatorsInterface {
    virtual ~OperatorsInterface() = default;
    virtual std::vector<PlainOperator> take(std::size_t at_most) = 0;
};

// An immutable class. Equal ones have the same member DAG, whatever they were made from.
struct GraphInterface : std::enable_shared_from_this<GraphInterface> {
    virtual ~GraphInterface() = default;
    virtual int n() const = 0;
    virtual int edge_count() const = 0;
    virtual ClassHash hash() const = 0;
    virtual void matrix(std::uint8_t* out) const = 0;
    virtual void dag(std::uint8_t* out) const = 0;
    virtual std::vector<int> parents(int v) const = 0;
    virtual std::vector<int> children(int v) const = 0;
    virtual std::vector<int> neighbors(int v) const = 0;
    virtual std::vector<std::pair<int, int>> directed_edges() const = 0;
    virtual std::vector<std::pair<int, int>> undirected_edges() const = 0;
    virtual std::pair<std::vector<u64>, std::vector<u64>> count_operators(int max_degree) const = 0;
    virtual std::unique_ptr<OperatorsInterface> operators(int max_degree) const = 0;
    virtual std::optional<PlainOperator> random_operator(int kind, int max_degree, Rng rng) const = 0;
    virtual std::optional<Flaw> fault(const PlainOperator& op) const = 0;
    virtual std::shared_ptr<const GraphInterface> apply(const PlainOperator& op) const = 0;
    virtual PlainOperator inverse(const PlainOperator& op) const = 0;
    virtual bool equals(const GraphInterface& other) const = 0;
    // The graph as made by Graphs, which equals() requires of its argument.
    virtual const GraphInterface& whole() const { return *this; }
};

using GraphPtr = std::shared_ptr<const GraphInterface>;
using GraphOrFlaw = std::variant<GraphPtr, Flaw>;
enum class Kind { kCpdag, kDag, kPdag };

// Graphs of one width of node sets, instantiated by engine/engine.cpp.in.
template <int W>
struct Graphs {
    static GraphPtr empty(int n);
    static GraphPtr complete(int n);
    static GraphOrFlaw parse(Kind kind, int n, const std::uint8_t* matrix);
};

// Without these, every unit that has the definitions would compile all widths again.
extern template struct Graphs<1>;
extern template struct Graphs<4>;
extern template struct Graphs<16>;
extern template struct Graphs<0>;

// Calls f with the Graphs of the width for n nodes.
template <class F>
auto with_width(int n, F&& f) {
    if (n <= 64) return f(Graphs<1>{});
    if (n <= 256) return f(Graphs<4>{});
    if (n <= 1024) return f(Graphs<16>{});
    return f(Graphs<0>{});
}

}  // namespace czz
