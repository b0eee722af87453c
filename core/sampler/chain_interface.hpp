// A running chain behind an interface that does not depend on the width of node sets or on the kind of target.
#pragma once
#include "graph/graph_interface.hpp"
#include "missing/missing_cells.hpp"
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
    int direction = 1, edges = 0;   // of the present state
    double score = 0;

    friend bool operator==(const ChainStatistics&, const ChainStatistics&) = default;
};

// A running chain.
struct ChainInterface {
    virtual ~ChainInterface() = default;
    virtual u64 run(u64 jumps, double seconds) = 0;
    virtual void forget() = 0;
    virtual std::string save() = 0;  // for make_chain
    virtual Tuning tuning() const = 0;
    // State and accumulators are kept. Another coldness or slope drops moves and excursions, which belong to a target.
    virtual void tune(const Tuning& tuning) = 0;
    virtual void set_excursions(const ExcursionSettings& excursions) = 0;
    virtual bool anneal_order(const std::vector<double>& powers, u64 steps, double slack) = 0;
    // With missing cells: draws them given the present class, and continues with the score of the completed table.
    virtual void draw_cells() = 0;
    // Chooses the time of a sweep, in which the chain makes about this number of jumps, and makes sweeps from now on.
    // Before, run() keeps the cells. A chain that cannot jump makes no sweeps.
    virtual void begin_sweeps(u64 jumps, int trials) = 0;
    virtual const MissingCells* cells() const = 0;  // null: no cell is missing
    virtual ChainStatistics statistics() const = 0;
    virtual GraphPtr graph() const = 0;
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
    const bool scored = settings.score || settings.table;
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
