// Retries after greedy search: each deletes edges, continues greedily, and is kept if that gains.
//
// First one edge at a time, whose arrow is not inserted meanwhile, the idea of XGES (Nazaret & Blei 2024); then all
// edges of one node at a time; then these again, for each of its arrows, without inserting that arrow meanwhile. What a
// retry changes is taken back if it does not gain, so it costs what it touches, and it is not made again until a row
// that it reshaped has changed.
#pragma once
#include "search/greedy.hpp"
#include <chrono>
#include <unordered_set>
#include <utility>

namespace czz {

using Clock = std::chrono::steady_clock;

// Deletes while a delete gains, then reverses, then inserts (XGES-0); returns false if the time is up before.
template <int W, class F>
bool climb(Greedy<W>& search, Clock::time_point end, F&& taken) {
    std::unordered_set<u64> visited;  // rounding could lead to a cycle
    while (visited.insert(search.graph.hash.lo).second) {
        if (Clock::now() >= end) return false;
        if (const auto remove = search.best(false)) {
            search.apply({remove->op});
            taken(*remove);
        } else if (const auto turn = search.best_reversal()) {
            search.apply({turn->first.op, turn->second.op});
            taken(turn->first);
            taken(turn->second);
        } else if (const auto insert = search.best(true)) {
            search.apply({insert->op});
            taken(*insert);
        } else {
            break;
        }
    }
    return true;
}

template <int W>
class Retries {
    using B = Bits<W>;
    using Step = typename Greedy<W>::Step;
    struct Candidate {
        double gain;
        Toggle<W> remove;
    };
    struct Detachment {
        int v;
        std::pair<int, int> arrow;  // not inserted meanwhile
    };
    struct Failure {
        u64 when;
        std::vector<int> rows;
    };

    Greedy<W>& search_;
    std::vector<Candidate> queue_;  // the best is last
    std::unordered_map<u64, Failure> failures_;
    std::vector<u64> changed_;  // when a retry that was kept reshaped the row
    u64 now_ = 1;
    std::vector<Detachment> detachments_;  // the next is last
    bool gained_ = true;                   // since the queue was filled

  public:
    static constexpr double kGain = 1e-7;  // of a retry

    explicit Retries(Greedy<W>& search) : search_(search), changed_(search.graph.size()) {}

    // Makes retries until none gains; returns false if the time is up before. `taken` is called for each step of those
    // that are kept.
    template <class F>
    bool run(Clock::time_point end, F&& taken) {
        for (;;) {
            if (queue_.empty() && detachments_.empty()) {
                if (!gained_) return gained_ = true;
                gained_ = false;
                fill();
            }
            if (Clock::now() >= end) return false;
            if (!queue_.empty()) {
                const Toggle<W> remove = std::move(queue_.back().remove);
                queue_.pop_back();
                bool made = false;
                retry(key(remove), {remove.x, remove.y}, taken,
                      [&] { return std::exchange(made, true) ? std::optional<Step>() : step_of(remove); });
            } else {
                const auto [v, arrow] = detachments_.back();
                detachments_.pop_back();
                const u64 key = mix64(mix64(u64(v)) + (u64(u32(arrow.first)) << 32 | u64(u32(arrow.second))));
                retry(key, arrow, taken, [&, v = v] { return detach(v); });
            }
        }
    }

  private:
    void fill() {
        for (int y = 0; y < search_.graph.n; ++y)
            for (const auto& block : search_.row(y)) {
                const B S = search_.graph.pa[y] | block.K;
                search_.removable(S, y).each([&](int x) {
                    queue_.push_back({block.differences->without(x), {search_.graph, {false, x, y, block.K}}});
                });
            }
        std::ranges::stable_sort(queue_, {}, &Candidate::gain);
        const auto& g = search_.graph;
        for (int v = 0; v < g.n; ++v)
            g.adjacent(v).each([&](int u) {
                if (!g.ch[v].test(u)) detachments_.push_back({v, {u, v}});
                if (!g.pa[v].test(u)) detachments_.push_back({v, {v, u}});
            });
        for (int v = g.n; v-- > 0;) detachments_.push_back({v, {-1, -1}});
    }
    // A delete of the first edge at v.
    std::optional<Step> detach(int v) {
        const auto& g = search_.graph;
        const int u = g.adjacent(v).first();
        if (u < 0) return {};
        if (g.ch[v].test(u)) return step_of({g, {false, v, u, {}}});
        return step_of({g, {false, u, v, g.ne[v].test(u) ? B::one(u) : B{}}});
    }
    // The step of a delete, if it exists in the present class.
    std::optional<Step> step_of(const Toggle<W>& remove) {
        if (!subset(search_.graph.pa[remove.y], remove.S)) return {};
        if (!search_.removable(remove.S, remove.y).test(remove.x)) return {};
        const Operator<W> op = remove.in(search_.graph);
        const auto& row = search_.row(remove.y);
        const auto found = std::ranges::find(row, op.K, &Greedy<W>::Block::K);
        if (found == row.end() || !search_.agrees(op)) return {};
        return search_.make(op, found->differences->without(op.x) + search_.step(-1));
    }
    static u64 key(const Toggle<W>& remove) { return remove.S.hash(mix64(u64(remove.x) << 32 | u64(remove.y))); }
    bool is_known(u64 key) const {
        const auto found = failures_.find(key);
        if (found == failures_.end()) return false;
        return std::ranges::all_of(found->second.rows, [&](int v) { return changed_[v] < found->second.when; });
    }
    // Makes deletes as long as `next` has one, then climbs; the arrow of the pair is not inserted meanwhile.
    template <class F, class N>
    void retry(u64 key, std::pair<int, int> pair, F&& taken, N&& next) {
        if (is_known(key)) return;
        std::vector<Step> steps;
        double total = 0;
        auto add = [&](const Step& s) {
            total += s.gain;
            steps.push_back(s);
        };
        search_.begin_trial(pair.first, pair.second);
        try {
            while (const auto step = next()) {
                search_.apply({step->op});
                add(*step);
            }
            climb(search_, Clock::time_point::max(), add);
            if (total > kGain && pair.first >= 0) {
                search_.allow_pair();
                climb(search_, Clock::time_point::max(), add);
            }
        } catch (const TooDense&) {
            total = kMinusInf;
        }
        ++now_;
        if (total > kGain) {
            search_.reshaped_in_trial().each([&](int v) { changed_[v] = now_; });
            search_.keep_trial();
            for (const Step& s : steps) taken(s);
            gained_ = true;
            return;
        }
        if (!steps.empty()) failures_[key] = {now_, search_.reshaped_in_trial().list()};
        search_.take_back();
    }
};

}  // namespace czz
