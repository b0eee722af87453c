// What is known about the ancestors of a MAG before the data.
#pragma once
#include "ancestral/mag.hpp"

namespace czz {

struct MagKnowledge {
    std::array<MagSet, kMostMagNodes> causes{};        // nodes that must be descendants of a node
    std::array<MagSet, kMostMagNodes> spares{};        // nodes that must not be
    std::array<MagSet, kMostMagNodes> apart{};         // nodes that it is never joined to
    std::array<MagSet, kMostMagNodes> unconfounded{};  // nodes that it is never joined to by <->

    bool allows(const Mag& g) const {
        for (int v = 0; v < g.n; ++v) {
            const std::size_t i = Mag::at(v);
            if (causes[i] & ~g.descendants[i] || spares[i] & g.descendants[i]) return false;
            if (apart[i] & g.adjacent(v) || unconfounded[i] & g.spouses[i]) return false;
        }
        return true;
    }
};

}  // namespace czz
