// What a chain is given: its target, the parameters of the process, where it begins, and limits of memory.
#pragma once
#include "base/rng.hpp"
#include "graph/arrows.hpp"
#include "missing/completed_table.hpp"
#include "sampler/excursions/excursion_move.hpp"
#include "sampler/tuning.hpp"
#include "scores/score.hpp"
#include "target/process_settings.hpp"

namespace czz {

struct ChainSettings : ProcessSettings {
    std::shared_ptr<const Score> score;  // null: the uniform target
    int max_degree = 1 << 30;
    Pairs forbidden;                               // never joined
    std::shared_ptr<const ArrowKnowledge> arrows;  // null: no knowledge
    Rng rng;
    int direction = 1;
    double first_score = 0;                 // score of the start, relative to the reference of all reported scores
    double extra_slope = 0;                 // an auxiliary log weight per edge, in addition to the prior
    Moves moves;                            // exact moves of this chain besides excursions
    ExcursionSettings excursions;           // neither tables nor regions: none
    std::size_t most_classes = 0;           // that are listed; 0: nothing but the statistics is accumulated
    std::size_t most_deltas = 0;            // of the listed classes
    std::size_t trace_points = 0;           // of the time grid of the trace
    std::size_t cache_bytes = 0;            // of rows of scores
    std::shared_ptr<CompletedTable> table;  // with missing cells, which are drawn too; its score is then the target's
    std::size_t most_tables = 0;            // completed ones that are kept

    Tuning tuning() const {
        const ExcursionSettings& e = excursions;
        return {coldness, extra_slope, sqrt_weight, e.steps, e.window, e.log2_rate, e.most};
    }
    void tune(const Tuning& t) {
        coldness = t.coldness;
        extra_slope = t.extra_slope;
        sqrt_weight = t.sqrt_weight;
        excursions.steps = t.steps;
        excursions.window = t.window;
        excursions.log2_rate = t.log2_rate;
        excursions.most = t.most_excursions;
    }
    EdgePrior whole_prior() const { return prior.tilted(extra_slope); }
};

}  // namespace czz
