// Greedy search behind its interface, for two widths of node sets.
#include "graph/conversion.hpp"
#include "search/greedy_interface.hpp"
#include "search/retries.hpp"

namespace czz {

namespace {

template <int W>
class GreedyOf final : public GreedyInterface {
    using Step = typename Greedy<W>::Step;

    GreedySettings settings_;  // keeps the score alive
    Greedy<W> search_;
    Retries<W> retries_;
    std::vector<PlainStep> steps_;
    std::vector<ClassHash> turned_from_;

    auto record() {
        return [this](const Step& s) { steps_.push_back({{s.op.insert, s.op.x, s.op.y, s.tails_or_heads}, s.gain}); };
    }
    bool turn() {
        turned_from_.push_back(search_.graph.hash);
        const auto turn = search_.best_turn();
        if (!turn) return false;
        search_.apply({turn->first.op, turn->second.op});
        record()(turn->first);
        record()(turn->second);
        return std::ranges::find(turned_from_, search_.graph.hash) == turned_from_.end();
    }
    bool step(bool insert) {
        const auto step = search_.best(insert);
        if (!step) return false;
        search_.apply({step->op});
        record()(*step);
        return true;
    }

  public:
    GreedyOf(const GraphInterface& start, const GreedySettings& s)
        : settings_(s), search_(cpdag_of<W>(start), *s.score, s.prior, s.max_degree, s.forbidden, s.arrows.get()),
          retries_(search_) {}

    bool run(Phase phase, double seconds) override {
        const auto end =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
        if (phase == Phase::kClimbing) return climb(search_, end, record());
        if (phase == Phase::kRetrying) return retries_.run(end, record());
        while (Clock::now() < end)
            if (!(phase == Phase::kTurning ? turn() : step(phase == Phase::kForward))) return true;
        return false;
    }
    const std::vector<PlainStep>& steps() const override { return steps_; }
    GraphPtr graph() const override { return interface_of(search_.graph); }
};

}  // namespace

std::unique_ptr<GreedyInterface> make_greedy(const GraphInterface& start, const GreedySettings& settings) {
    if (start.n() <= 256) return std::make_unique<GreedyOf<4>>(start, settings);
    return std::make_unique<GreedyOf<0>>(start, settings);
}

}  // namespace czz
