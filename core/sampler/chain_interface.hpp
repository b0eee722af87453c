// A running chain behind an interface that does not depend on the width of node sets or on the kind of target.
#pragma once
#include "graph/graph_interface.hpp"
#include "sampler/accumulate/batches.hpp"
#include "sampler/accumulate/class_table.hpp"
#include "sampler/accumulate/trace.hpp"
#include "sampler/chain_settings.hpp"
#include "sampler/chain_status.hpp"
#include <string>
#include <string_view>

namespace czz {

// What a chain has done since its accumulators were last cleared, and whether it can continue.
struct ChainStatistics : Tally {
    double unit = 0;  // binary exponent of the unit of all times
    bool frozen = false;
    int dense_node = -1, dense_clique = 0;                   // dense_node -1: not too dense
    u64 row_lookups = 0, row_misses = 0, row_evictions = 0;  // of the cache, since the chain was made
    double unlisted = 0;                                     // the time in classes that are not listed
    ExcursionCounts excursions{};
    bool excursions_spent = false;  // the largest number of excursions has been made
    double score_reference = 0;     // the scores of batches are relative to it; it is relative to the start
    u64 refused = 0;                // proposals that knowledge refused

    friend bool operator==(const ChainStatistics&, const ChainStatistics&) = default;
};

// A running chain.
struct ChainInterface {
    virtual ~ChainInterface() = default;
    virtual u64 run(u64 jumps, double seconds) = 0;
    virtual void forget() = 0;
    virtual std::string save() = 0;         // for make_chain
    virtual bool can_continue() const = 0;  // true for a frozen chain
    // Another coldness, and an auxiliary log weight per edge on top of the prior.
    virtual void set_coldness(double coldness, double extra_slope) = 0;
    // Another weight of sqrt, with balance auto. State and moves are kept.
    virtual void set_sqrt_weight(double weight) = 0;
    // Another score of the same nodes, and its value for the present class. State and accumulators are kept; there are
    // no excursions from then on, as their tables belong to a score.
    virtual void set_score(std::shared_ptr<const Score> score, double value) = 0;
    virtual void set_excursions(const ExcursionSettings& excursions) = 0;
    virtual bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) = 0;
    virtual void set_interval(double log2_interval) = 0;
    virtual bool finish_interval(std::chrono::steady_clock::time_point end) = 0;
    virtual double explore(u64 jumps) = 0;
    virtual ChainStatistics statistics() const = 0;
    virtual GraphPtr graph() const = 0;
    virtual int direction() const = 0;
    virtual int edge_count() const = 0;
    virtual double score() const = 0;
    virtual const ClassTable& classes() = 0;
    virtual const Trace& trace() const = 0;
    virtual std::vector<Batch> batches() = 0;
    virtual std::pair<ListedTimes, ListedTimes> edge_times() const = 0;  // of arrows, of lines
};

using ChainPtr = std::unique_ptr<ChainInterface>;
using Saved = std::optional<std::string_view>;
// Chains of one width of node sets, instantiated by engine/engine.cpp.in. A chain begins at the start, or
// continues from `saved`, the state of a chain with the same settings.
template <int W>
struct Chains {
    static ChainPtr uniform(const GraphInterface& start, const ChainSettings& settings, const Saved& saved);
    static ChainPtr scored(const GraphInterface& start, const ChainSettings& settings, const Saved& saved);
};

extern template struct Chains<1>;
extern template struct Chains<2>;
extern template struct Chains<4>;
extern template struct Chains<8>;
extern template struct Chains<16>;
extern template struct Chains<32>;
extern template struct Chains<80>;
extern template struct Chains<0>;

// Scored chains, the most frequent ones, have four more widths.
inline ChainPtr make_chain(const GraphInterface& start, const ChainSettings& settings, const Saved& saved) {
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
    if (n <= 2048 && scored) return Chains<32>::scored(start, settings, saved);
    if (n <= 5120 && scored) return Chains<80>::scored(start, settings, saved);
    return with(Chains<0>{});
}

}  // namespace czz
