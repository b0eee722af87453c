// Greedy search behind its interface, for two widths of node sets.
#include "search/greedy.hpp"
#include "graph/conversion.hpp"
#include "search/greedy_interface.hpp"
#include <algorithm>
#include <chrono>

namespace czz {

namespace {

template <int W>
class GreedyOf final : public GreedyInterface {
    GreedySettings settings_;  // keeps the score alive
    Greedy<W> search_;
    std::vector<PlainStep> steps_;
    std::vector<ClassHash> turned_from_;

    void take(const typename Greedy<W>::Step& s) {
        steps_.push_back({{s.op.insert, s.op.x, s.op.y, s.tails_or_heads}, s.gain});
        search_.apply(s.op);
    }

  public:
    GreedyOf(const GraphInterface& start, const GreedySettings& s)
        : settings_(s), search_(cpdag_of<W>(start), *s.score, s.prior, s.max_degree, s.forbidden, s.arrows.get()) {}

    bool run(Phase phase, double seconds) override {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (std::chrono::steady_clock::now() < end) {
            if (phase == Phase::kTurning) {
                turned_from_.push_back(search_.graph.hash);
                const auto turn = search_.best_turn();
                if (!turn) return true;
                take(turn->first);
                take(turn->second);
                if (std::ranges::find(turned_from_, search_.graph.hash) != turned_from_.end()) return true;
            } else {
                const auto step = search_.best(phase == Phase::kForward);
                if (!step) return true;
                take(*step);
            }
        }
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
