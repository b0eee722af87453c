// The sizes of the classes that have a state(), as a reminder: a new member is added to state(), and kStateFormat is
// increased, or a comment says why it need not be saved; then the new size is written here.
#pragma once
#include "sampler/chain.hpp"
#include "target/scored.hpp"
#include "target/uniform.hpp"

namespace czz {

#if defined(__GLIBCXX__) && !defined(_GLIBCXX_DEBUG) && defined(__LP64__)
static_assert(sizeof(Cpdag<1>) == 528, "a new member of Cpdag: see graph_state()");
static_assert(sizeof(Weights) == 88, "a new member of Weights: see its state()");
static_assert(sizeof(UniformTarget<1>) == 424, "a new member of UniformTarget: see its state()");
static_assert(sizeof(CachedRow<1>) == 96, "a new member of CachedRow: see the state() of RowCache");
static_assert(sizeof(RowCache<1>) == 144, "a new member of RowCache: see its state()");
static_assert(sizeof(RowRates<1>) == 184, "a new member of RowRates: see its state()");
static_assert(sizeof(ScoredTarget<1>) == 672, "a new member of ScoredTarget: see its state()");
static_assert(sizeof(Rng) == 32, "a new member of Rng: see its state()");
static_assert(sizeof(Tally) == 48, "a new member of Tally: see its state()");
static_assert(sizeof(ClassTable) == 176, "a new member of ClassTable: see its state()");
static_assert(sizeof(EdgeTimes) == 24, "a new member of EdgeTimes: see its state()");
static_assert(sizeof(Trace) == 200, "a new member of Trace: see its state()");
static_assert(sizeof(Draws) == 104, "a new member of Draws: see its state()");
static_assert(sizeof(Snapshot<1>) == 96, "a new member of Snapshot: see its state()");
static_assert(sizeof(Batch) == 72, "a new member of Batch: see its state()");
static_assert(sizeof(Batches) == 152, "a new member of Batches: see its state()");
static_assert(sizeof(Accumulators<1>) == 672, "a new member of Accumulators: see the state() of Chain");
static_assert(sizeof(Refusals<1>) == 368, "a new member of Refusals: see its state()");
static_assert(sizeof(Chain<1, UniformTarget<1>>) == 1904, "a new member of Chain: see its state()");
#endif

}  // namespace czz
