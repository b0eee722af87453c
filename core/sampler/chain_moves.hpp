// The moves of one chain: chooses one in proportion to the rates, and turns what it finds into a class.
#pragma once
#include "graph/completion.hpp"
#include "sampler/class_changes.hpp"
#include "sampler/move.hpp"

namespace czz {

template <int W>
class ChainMoves final : Surroundings {
  public:
    struct Arrival {
        Cpdag<W> graph;
        double score_difference;
    };
    Moves all;

    explicit ChainMoves(Moves moves) : all(std::move(moves)) { set(std::move(all)); }
    void set(Moves moves) {
        all = std::move(moves);
        top_ = kMinusInf;
        for (const auto& m : all) top_ = std::max(top_, m->log2_rate());
        sum_ = 0;
        for (const auto& m : all) sum_ += weight(*m);
        look_whether_spent();
    }
    // Of all moves together.
    double log2_rate() const { return all.empty() ? kMinusInf : top_ + std::log2(sum_); }
    bool spent() const { return spent_; }
    void look_whether_spent() {
        spent_ = false;
        for (const auto& m : all) spent_ = spent_ || m->spent();
    }

    // One move; returns nothing if the chain stays in its class.
    std::optional<Arrival> make(const Cpdag<W>& from, Restriction<W>* restriction, Rng& rng) {
        std::size_t chosen = 0;
        if (all.size() > 1)
            for (double u = rng.uniform() * sum_; chosen + 1 < all.size() && (u -= weight(*all[chosen])) >= 0;)
                ++chosen;
        const auto arrival = lead(from, restriction, [&](Surroundings& s) { return all[chosen]->make(s, rng); });
        look_whether_spent();
        return arrival;
    }
    // Where `kernel(surroundings)` leads.
    template <class F>
    std::optional<Arrival> lead(const Cpdag<W>& from, Restriction<W>* restriction, F&& kernel) {
        restriction_ = restriction;
        next_.reset();
        list_class(from, restriction, here_.arrows, here_.lines);
        const std::optional<double> difference = kernel(*this);
        if (!difference || !next_ || next_->hash == from.hash) return {};
        return Arrival{*std::exchange(next_, {}), *difference};
    }

  private:
    double top_ = kMinusInf, sum_ = 0;  // the highest of the rates, as a logarithm, and all of them relative to it
    bool spent_ = false;
    Restriction<W>* restriction_ = nullptr;
    ClassLists here_, there_;
    std::optional<Cpdag<W>> next_;

    double weight(const Move& m) const { return m.log2_rate() > kMinusInf ? std::exp2(m.log2_rate() - top_) : 0; }
    const ClassLists& here() override { return here_; }
    const ClassLists& there(const Lists& parents, const std::vector<int>& order) override {
        next_ = complete_dag(bits_of<W>(parents), order);
        list_class(*next_, restriction_, there_.arrows, there_.lines);
        return there_;
    }
};

}  // namespace czz
