// Retries after greedy search: each deletes an edge, continues greedily without it, and is kept if that gains.
//
// The idea is that of XGES (Nazaret & Blei 2024). All that a retry changes is taken back if it does not gain, so it
// costs what it touches. A delete whose retry gained nothing is not tried again until rows that the retry reshaped have
// changed.
#pragma once
#include "search/greedy.hpp"
#include <chrono>
#include <unordered_set>

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
    struct Failure {
        u64 when;
        std::vector<int> rows;
    };

    Greedy<W>& search_;
    std::vector<Candidate> queue_;  // the best is last
    std::unordered_map<u64, Failure> failures_;
    std::vector<u64> changed_;  // when a retry that was kept reshaped the row
    u64 now_ = 1;
    bool gained_ = true;  // since the queue was filled

  public:
    static constexpr double kGain = 1e-7;  // of a retry

    explicit Retries(Greedy<W>& search) : search_(search), changed_(search.graph.size()) {}

    // Makes retries until none of the deletes of the class gains; returns false if the time is up before. `taken` is
    // called for each step of those that are kept.
    template <class F>
    bool run(Clock::time_point end, F&& taken) {
        for (;;) {
            if (queue_.empty()) {
                if (!gained_) return gained_ = true;
                gained_ = false;
                fill();
            }
            while (!queue_.empty()) {
                if (Clock::now() >= end) return false;
                const Toggle<W> remove = std::move(queue_.back().remove);
                queue_.pop_back();
                if (!is_known(remove)) retry(remove, taken);
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
    }
    // The block of the delete, null if it does not exist in the present class.
    const typename Greedy<W>::Block* find(const Toggle<W>& remove) const {
        if (!subset(search_.graph.pa[remove.y], remove.S)) return nullptr;
        const auto& row = search_.row(remove.y);
        const auto found = std::ranges::find(row, remove.S - search_.graph.pa[remove.y], &Greedy<W>::Block::K);
        return found == row.end() ? nullptr : &*found;
    }
    static u64 key(const Toggle<W>& remove) { return remove.S.hash(mix64(u64(remove.x) << 32 | u64(remove.y))); }
    bool is_known(const Toggle<W>& remove) const {
        const auto found = failures_.find(key(remove));
        if (found == failures_.end()) return false;
        return std::ranges::all_of(found->second.rows, [&](int v) { return changed_[v] < found->second.when; });
    }
    template <class F>
    void retry(const Toggle<W>& remove, F&& taken) {
        const auto* block = find(remove);
        const Operator<W> op = remove.in(search_.graph);
        if (!block || !search_.agrees(op)) return;
        std::vector<Step> steps{search_.make(op, block->differences->without(op.x) + search_.step(-1))};
        double total = steps.front().gain;
        auto add = [&](const Step& s) {
            total += s.gain;
            steps.push_back(s);
        };
        search_.begin_trial(op.x, op.y);
        try {
            search_.apply({op});
            climb(search_, Clock::time_point::max(), add);
            if (total > kGain) {
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
        } else {
            failures_[key(remove)] = {now_, search_.reshaped_in_trial().list()};
            search_.take_back();
        }
    }
};

}  // namespace czz
