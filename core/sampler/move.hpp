// An exact move: a Markov kernel K that leaves the target invariant, made at the times of a Poisson process. The
// direction is kept, so it adds κ (K − I) to the generator, and π ⊗ uniform stays invariant (sampler/chain.hpp).
//
// Moves are rare and long compared with jumps. They see classes and DAGs as lists of nodes, so that each is compiled
// once for all widths of node sets.
#pragma once
#include "base/archive.hpp"
#include "base/rng.hpp"
#include <memory>
#include <optional>
#include <vector>

namespace czz {

using Lists = std::vector<std::vector<int>>;  // of nodes, for each node

struct ClassLists {
    Lists arrows,
        lines;  // the parents and the neighbors of each node; with knowledge, lines that it orients are arrows

    friend bool operator==(const ClassLists&, const ClassLists&) = default;
};

// What a move sees of its chain.
class ChainView {
  public:
    virtual ~ChainView() = default;
    virtual const ClassLists& here() = 0;  // the present class
    // The class of a DAG, given by the parents of each node and a topological order; the move leads to the last one.
    virtual const ClassLists& there(const Lists& parents, const std::vector<int>& order) = 0;
    // Goes from the class of a DAG to that of another one, in which `nodes` have the parents `after`, not `before`: one
    // arrow at a time, so that the work depends on what changes. Returns the nodes whose edges change. here() is as
    // before until relist(). A move that stays goes back.
    virtual const std::vector<int>& go(const std::vector<int>& nodes, const Lists& before, const Lists& after) = 0;
    virtual const ClassLists& relist() = 0;
    virtual int edges() const = 0;  // where it is now
    virtual int degree(int v) const = 0;
};

class Move {
  public:
    virtual ~Move() = default;
    // The rate of the Poisson process, as the binary logarithm of the number of moves per time 1.
    virtual double log2_rate() const = 0;
    // One step of the kernel. Returns the difference of the score if the chain goes there, nothing if it stays.
    virtual std::optional<double> make(ChainView& chain, Rng& rng) = 0;
    // Whether a run ends here; fixed intervals do not.
    virtual bool spent() const { return false; }
    // Whether it leads by go(), not by there().
    virtual bool walks() const { return false; }
    // What it counts is cleared with the accumulators, and saved with the state of the chain.
    virtual void forget() {}
    virtual void state(Saver&) {}
    virtual void state(Loader&) {}
};

using Moves = std::vector<std::shared_ptr<Move>>;  // each of one chain only

}  // namespace czz
