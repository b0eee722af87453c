// The transition probabilities of the sampler of MAGs out of one graph, by following every branch of its proposals.
#pragma once
#include "ancestral/mag_chain.hpp"
#include <map>

namespace czz {

// A source of "random" choices that makes all of them, in turn. A path is the list of the choices made so far; rewind()
// goes on to the next one.
class EveryChoice {
    struct Choice {
        int taken;
        std::vector<double> probabilities;
    };
    std::vector<Choice> path_;
    std::size_t place_ = 0;

    int choose(std::vector<double> probabilities) {
        if (place_ == path_.size()) path_.push_back({0, std::move(probabilities)});
        return path_[place_++].taken;
    }

  public:
    bool chance(double p) { return choose({p, 1 - p}) == 0; }
    int below(int k) { return choose(std::vector<double>(std::size_t(k), 1.0 / k)); }
    double probability() const {
        double product = 1;
        for (const Choice& c : path_) product *= c.probabilities[std::size_t(c.taken)];
        return product;
    }
    bool rewind() {  // false after the last path
        place_ = 0;
        while (!path_.empty() && std::size_t(path_.back().taken) + 1 == path_.back().probabilities.size())
            path_.pop_back();
        if (path_.empty()) return false;
        ++path_.back().taken;
        return true;
    }
};

// The probability of a jump to each graph, by its states.
inline std::map<std::vector<std::uint8_t>, double> mag_transitions(const MagTarget& target, const Mag& g) {
    std::map<std::vector<std::uint8_t>, double> jumps;
    EveryChoice choices;
    do {
        Mag h = g;
        const MagMove move = MagProposal<EveryChoice>(h, choices).propose();
        if (!move.valid || !target.knowledge.allows(h)) continue;
        std::vector<std::uint8_t> states(std::size_t(pair_count(g.n)));
        write_states(h, states.data());
        if (target.accepts(g, h, move, choices)) jumps[states] += choices.probability();
    } while (choices.rewind());
    return jumps;
}

}  // namespace czz
