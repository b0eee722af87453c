// The moves of one chain: chooses one in proportion to the rates, and turns what it finds into a class.
#pragma once
#include "graph/completion.hpp"
#include "sampler/class_changes.hpp"
#include "sampler/move.hpp"

namespace czz {

template <int W>
class ChainMoves final : ChainView {
    using B = Bits<W>;
    using G = Cpdag<W>;

  public:
    // Where a move leads: to another graph; or, without one, to what the graph of the chain has become, with all that
    // changed in its changes, dirty and reshaped, as after an operator.
    struct Arrival {
        std::optional<G> graph;
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
        relist_all();
    }
    // Of all moves together.
    double log2_rate() const { return all.empty() ? kMinusInf : top_ + std::log2(sum_); }
    bool spent() const { return spent_; }
    void look_whether_spent() {
        spent_ = false;
        for (const auto& m : all) spent_ = spent_ || m->spent();
    }
    // Lists are brought up to date when a move is made: those of the nodes that have changed since, or of all nodes.
    void relist(const std::vector<PairChange>& changes) {
        if (all.empty() || all_stale_) return;
        for (const PairChange& c : changes) {
            stale_.push_back(c.a);
            stale_.push_back(c.b);
        }
        if (stale_.size() > 4 * here_.arrows.size()) relist_all();
    }
    void relist_all() {
        all_stale_ = true;
        stale_.clear();
    }

    // One move; returns nothing if the chain stays in its class. `leave()` is called before a move may change the graph
    // of the chain; `watched` is for Cpdag::apply.
    template <class F>
    std::optional<Arrival> make(G& graph, Restriction<W>* restriction, const std::vector<B>* watched, Rng& rng,
                                F&& leave) {
        std::size_t chosen = 0;
        if (all.size() > 1)
            for (double u = rng.uniform() * sum_; chosen + 1 < all.size() && (u -= weight(*all[chosen])) >= 0;)
                ++chosen;
        if (all[chosen]->walks()) leave();
        watched_ = watched;
        auto arrival = lead(graph, restriction, [&](ChainView& s) { return all[chosen]->make(s, rng); });
        look_whether_spent();
        return arrival;
    }
    // Where `kernel(surroundings)` leads.
    template <class F>
    std::optional<Arrival> lead(G& from, Restriction<W>* restriction, F&& kernel) {
        graph_ = &from;
        restriction_ = restriction;
        next_.reset();
        went_ = false;
        list();
        const std::optional<double> difference = kernel(*this);
        if (!difference && went_) from.changes = changes_before_;  // it went there and back
        if (!difference) return {};
        if (went_) return from.changes.empty() ? std::nullopt : std::optional(Arrival{std::nullopt, *difference});
        if (!next_ || next_->hash == from.hash) return {};
        return Arrival{std::exchange(next_, {}), *difference};
    }

  private:
    double top_ = kMinusInf, sum_ = 0;  // the highest of the rates, as a logarithm, and all of them relative to it
    bool spent_ = false, went_ = false;
    G* graph_ = nullptr;
    Restriction<W>* restriction_ = nullptr;
    const std::vector<B>* watched_ = nullptr;
    ClassLists here_, there_;
    bool all_stale_ = true;
    std::vector<int> stale_, changed_;
    std::vector<PairChange> changes_, changes_before_;
    std::optional<G> next_;

    double weight(const Move& m) const { return m.log2_rate() > kMinusInf ? std::exp2(m.log2_rate() - top_) : 0; }
    const ClassLists& here() override { return here_; }
    int edges() const override { return graph_->edges; }
    int degree(int v) const override { return graph_->degree[v]; }
    const ClassLists& there(const Lists& parents, const std::vector<int>& order) override {
        next_ = complete_dag(bits_of<W>(parents), order);
        list_class(*next_, restriction_, there_.arrows, there_.lines);
        return there_;
    }
    const std::vector<int>& go(const std::vector<int>& nodes, const Lists& before, const Lists& after) override {
        if (!std::exchange(went_, true)) changes_before_ = graph_->changes;
        changes_.clear();
        B dirty, reshaped;
        // All graphs between are part of one of the two DAGs, so none has a cycle.
        for (bool insert : {false, true})
            for (std::size_t i = 0; i < nodes.size(); ++i) {
                const int y = nodes[i];
                const std::vector<int>&to_have = insert ? before[i] : after[i],
                      &to_toggle = insert ? after[i] : before[i];
                B other, parents;
                for (int u : to_have) other.set(u);
                for (int u : to_toggle)
                    if (!insert || other.test(u)) parents.set(u);
                for (int u : to_toggle) {
                    if (other.test(u)) continue;
                    graph_->apply({insert, u, y, parents & graph_->ne[y]}, watched_);
                    parents.flip(u);
                    changes_.insert(changes_.end(), graph_->changes.begin(), graph_->changes.end());
                    dirty |= graph_->dirty;
                    reshaped |= graph_->reshaped;
                }
            }
        merge_changes(changes_);
        graph_->changes = changes_;
        graph_->dirty = dirty;
        graph_->reshaped = reshaped;
        if (restriction_) restriction_->follow(*graph_);  // both DAGs agree
        changed_.clear();
        for (const PairChange& c : restriction_ ? restriction_->changes : changes_) {
            changed_.push_back(c.a);
            changed_.push_back(c.b);
        }
        std::sort(changed_.begin(), changed_.end());
        changed_.erase(std::unique(changed_.begin(), changed_.end()), changed_.end());
        return changed_;
    }
    const ClassLists& relist() override {
        for (int v : changed_) list(v);
        return here_;
    }
    void list() {
        if (all_stale_) list_class(*graph_, restriction_, here_.arrows, here_.lines);
        for (int v : stale_) list(v);
        stale_.clear();
        all_stale_ = false;
    }
    void list(int v) {
        const std::size_t at = std::size_t(v);
        // Ascending, as a known arrow that becomes compelled does not change and is not listed anew.
        fill_list(here_.arrows[at], restriction_ ? graph_->pa[v] | restriction_->pa[at] : graph_->pa[v]);
        fill_list(here_.lines[at],
                  restriction_ ? graph_->ne[v] - restriction_->pa[at] - restriction_->ch[at] : graph_->ne[v]);
    }
};

}  // namespace czz
