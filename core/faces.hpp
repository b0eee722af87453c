// What the Python boundary sees of the core: graphs and chains of any width behind two interfaces.
#pragma once
#include "completion.hpp"
#include "rng.hpp"
#include <memory>

namespace czz {

struct PlainOperator {  // with T or H
    bool insert;
    int x, y;
    std::vector<int> tails_or_heads;
};

struct OperatorsFace {
    virtual ~OperatorsFace() = default;
    virtual std::vector<PlainOperator> take(std::size_t at_most) = 0;
};

// An immutable class.
struct GraphFace : std::enable_shared_from_this<GraphFace> {
    virtual ~GraphFace() = default;
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
    virtual std::unique_ptr<OperatorsFace> operators(int max_degree) const = 0;
    virtual std::optional<PlainOperator> random_operator(int kind, int max_degree, Rng rng) const = 0;
    virtual std::optional<Flaw> fault(const PlainOperator& op) const = 0;
    virtual std::shared_ptr<const GraphFace> apply(const PlainOperator& op) const = 0;
    virtual PlainOperator inverse(const PlainOperator& op) const = 0;
    virtual bool equals(const GraphFace& other) const = 0;
};

using GraphPtr = std::shared_ptr<const GraphFace>;
using GraphOrFlaw = std::variant<GraphPtr, Flaw>;
enum class Kind { kCpdag, kDag, kPdag };

// One set of entry points a width; engine.cpp.in instantiates them.
template <int W>
struct Engine {
    static GraphPtr empty(int n);
    static GraphPtr complete(int n);
    static GraphOrFlaw parse(Kind kind, int n, const std::uint8_t* matrix);
};

// Call f with the width that holds n nodes.
template <class F>
auto with_width(int n, F&& f) {
    if (n <= 64) return f(Engine<1>{});
    if (n <= 128) return f(Engine<2>{});
    if (n <= 256) return f(Engine<4>{});
    if (n <= 512) return f(Engine<8>{});
    if (n <= 1024) return f(Engine<16>{});
    return f(Engine<0>{});
}

}  // namespace czz
