// What the Python boundary sees of the core: graphs and chains of any width behind two interfaces.
#pragma once
#include "batches.hpp"
#include "class_table.hpp"
#include "completion.hpp"
#include "law.hpp"
#include "rng.hpp"
#include "score.hpp"
#include "state.hpp"
#include "trace.hpp"
#include <chrono>
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
    virtual const GraphFace& whole() const { return *this; }  // of the kind that Graphs make, as equals() expects it
};

using GraphPtr = std::shared_ptr<const GraphFace>;
using GraphOrFlaw = std::variant<GraphPtr, Flaw>;
enum class Kind { kCpdag, kDag, kPdag };

struct ChainSettings {
    std::shared_ptr<const Score> score;  // none: the uniform target
    Law law;
    int max_degree = 1 << 30;
    std::vector<std::pair<int, int>> forbidden;
    Rng rng;
    int direction = 1;
    double first_score = 0;  // of the start, from the reference of all scores that are told
    std::size_t most_classes = 0, most_deltas = 0, trace_points = 0, cache_bytes = 0;
};

struct ChainStatistics {
    u64 jumps, inserts, flips;
    double expected_time, drawn_time, unit;  // times in units of 2^unit
    bool frozen;
    int dense_node, dense_clique;  // node -1: not too dense
    u64 row_lookups, row_misses, row_evictions;
    Holding unlisted;
    double score_reference;  // that the scores of batches are told from, itself relative to the start
};

struct Event {  // one way to leave the present state
    int kind;   // +1 insert, -1 delete, 0 flip
    PlainOperator op;
    double log_rate;
};

// A running chain.
struct ChainFace {
    virtual ~ChainFace() = default;
    virtual u64 run(u64 jumps, double seconds) = 0;
    virtual void forget() = 0;
    virtual std::string save() = 0;      // what make_chain goes on from
    virtual bool can_go_on() const = 0;  // but for being frozen
    virtual void set_coldness(double coldness) = 0;
    virtual void set_interval(double log2_interval) = 0;
    virtual bool finish_interval(u64 most_jumps, std::chrono::steady_clock::time_point end) = 0;
    virtual double explore(u64 jumps) = 0;
    virtual void swap_states(ChainFace& other) = 0;
    virtual ChainStatistics statistics() const = 0;
    virtual GraphPtr graph() const = 0;
    virtual int direction() const = 0;
    virtual int edge_count() const = 0;
    virtual double score() const = 0;
    virtual const ClassTable& classes() = 0;
    virtual const Trace& trace() const = 0;
    virtual std::vector<Batch> batches() = 0;
    virtual void edge_times(double* directed, double* undirected) const = 0;
    virtual std::vector<Event> events() = 0;
    virtual std::string audit() = 0;
};

// Entry points for one width of node sets; engine.cpp.in instantiates them.
template <int W>
struct Graphs {
    static GraphPtr empty(int n);
    static GraphPtr complete(int n);
    static GraphOrFlaw parse(Kind kind, int n, const std::uint8_t* matrix);
};
using ChainPtr = std::unique_ptr<ChainFace>;
using Saved = std::optional<std::string_view>;
// At the start, or where `saved`, the state of a chain with the same settings, left off.
template <int W>
struct Chains {
    static ChainPtr uniform(const GraphFace& start, const ChainSettings& settings, const Saved& saved);
    static ChainPtr scored(const GraphFace& start, const ChainSettings& settings, const Saved& saved);
};

// Call f with the width of graphs of n nodes.
template <class F>
auto with_width(int n, F&& f) {
    if (n <= 64) return f(Graphs<1>{});
    if (n <= 256) return f(Graphs<4>{});
    if (n <= 1024) return f(Graphs<16>{});
    return f(Graphs<0>{});
}
// Scored chains, most of what is ever run, have two widths more.
inline ChainPtr make_chain(const GraphFace& start, const ChainSettings& settings, const Saved& saved) {
    const int n = start.n();
    const bool scored = settings.score != nullptr;
    auto with = [&]<int W>(Chains<W> c) {
        return scored ? c.scored(start, settings, saved) : c.uniform(start, settings, saved);
    };
    if (n <= 64) return with(Chains<1>{});
    if (n <= 128 && scored) return Chains<2>::scored(start, settings, saved);
    if (n <= 256) return with(Chains<4>{});
    if (n <= 512 && scored) return Chains<8>::scored(start, settings, saved);
    if (n <= 1024) return with(Chains<16>{});
    return with(Chains<0>{});
}

}  // namespace czz
