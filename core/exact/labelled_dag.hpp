// A DAG of few nodes that grows node by node below those placed, with the labels of its edges in its class.
#pragma once
#include "graph/cpdag.hpp"

namespace czz {

template <int N>
struct LabelledDag {
    u32 compelled[N] = {}, parents[N] = {};  // of the nodes placed so far
    int place[N] = {};                       // adjacent nodes have different places, the parent the smaller one

    void add(int v, u32 P, int at) {
        place[v] = at;
        parents[v] = P;
        compelled[v] = compelled_from(P);
    }

    // Calls f(number of the pair, mark) for the edges from the parents of v in the CPDAG.
    template <class F>
    void each_mark(int v, F&& f) const {
        for (u32 m = parents[v]; m; m &= m - 1) {
            const int u = std::countr_zero(m);
            f(pair_index(std::min(u, v), std::max(u, v)), !(compelled[v] >> u & 1) ? kLine
                                                          : u < v                  ? kForward
                                                                                   : kBackward);
        }
    }

  private:
    // The rule of Cpdag::label, for sets of one word: which of the edges from P into the next node are compelled?
    u32 compelled_from(u32 P) const {
        int last = -1, at = -1;
        for (u32 m = P; m; m &= m - 1) {
            const int u = std::countr_zero(m);
            if (place[u] > at) at = place[last = u];
        }
        if (last < 0) return 0;
        const bool all = compelled[last] & ~P || P & ~(1u << last) & ~parents[last];
        return all ? P : compelled[last];
    }
};

}  // namespace czz
