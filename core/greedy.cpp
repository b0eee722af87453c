// Greedy search behind its face, for two widths of node sets.
#include "greedy.hpp"
#include "greedy_face.hpp"
#include <chrono>

namespace czz {

namespace {

template <int W>
class GreedyOf final : public GreedyFace {
    GreedySettings settings_;  // keeps the score alive
    Greedy<W> search_;
    std::vector<PlainStep> steps_;

    static Cpdag<W> start_of(int n, const std::uint8_t* matrix) {
        return std::get<Cpdag<W>>(from_dag(Mixed<W>(n, matrix)));
    }
    void take(const typename Greedy<W>::Step& s) {
        steps_.push_back({{s.op.insert, s.op.x, s.op.y, s.tails_or_heads}, s.gain});
        search_.apply(s.op);
    }

  public:
    GreedyOf(int n, const std::uint8_t* start, const GreedySettings& s)
        : settings_(s),
          search_(start_of(n, start), *s.score, s.prior, s.max_degree, forbidden_rows<W>(n, s.forbidden)) {}

    bool run(Phase phase, double seconds) override {
        const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
        while (std::chrono::steady_clock::now() < end) {
            if (phase == Phase::kTurning) {
                const auto turn = search_.best_turn();
                if (!turn) return true;
                take(turn->first);
                take(turn->second);
            } else {
                const auto step = search_.best(phase == Phase::kForward);
                if (!step) return true;
                take(*step);
            }
        }
        return false;
    }
    const std::vector<PlainStep>& steps() const override { return steps_; }
    void dag(std::uint8_t* out) const override {
        const Cpdag<W>& g = search_.graph;
        for (int y = 0; y < g.n; ++y) g.dag_parents(y).each([&](int x) { out[std::size_t(x) * g.n + y] = 1; });
    }
};

}  // namespace

std::unique_ptr<GreedyFace> make_greedy(int n, const std::uint8_t* start, const GreedySettings& settings) {
    if (n <= 256) return std::make_unique<GreedyOf<4>>(n, start, settings);
    return std::make_unique<GreedyOf<0>>(n, start, settings);
}

}  // namespace czz
