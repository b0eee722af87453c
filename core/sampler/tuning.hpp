// What may be changed while a chain runs. The chain owns its tuning and saves it with its state.
#pragma once
#include "base/math.hpp"

namespace czz {

struct Tuning {
    double coldness = 1;            // of the score
    double extra_slope = 0;         // an auxiliary log weight per edge, in addition to the prior
    double sqrt_weight = 1;         // of balance auto
    int steps = 0, window = 0;      // of an order excursion
    double log2_rate = kMinusInf;   // excursions per unit of time; minus infinity: none
    u64 most_excursions = ~u64(0);  // a run ends after this number: where a chain rests long, they outnumber jumps

    template <class A>
    void state(A& a) {
        a(coldness, extra_slope, sqrt_weight, steps, window, log2_rate, most_excursions);
        a.check(coldness >= 0 && std::isfinite(coldness) && std::isfinite(extra_slope) && sqrt_weight > 0 &&
                steps >= 0 && window >= 0 && !std::isnan(log2_rate));
    }
};

}  // namespace czz
