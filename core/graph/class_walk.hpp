// The listed classes of a chain as graphs one after another, and what can be asked of all of them in one pass.
#pragma once
#include "graph/record_walk.hpp"

namespace czz {

// A graph of any number of nodes: row v of `out` has bit w for v -> w and v - w, row w of `in` has then bit v.
class WalkedGraph {
  public:
    using Word = std::uint64_t;
    using Row = std::vector<Word>;

    explicit WalkedGraph(int n) : words_((std::size_t(n) + 63) / 64), out_(std::size_t(n) * words_), in_(out_) {}

    void toggle(u64 pair, std::uint8_t change) {
        const auto [a, b] = pair_ends(pair);
        edges_ -= joined(a, b);
        if (change & kForward) flip(std::size_t(a), std::size_t(b));
        if (change & kBackward) flip(std::size_t(b), std::size_t(a));
        edges_ += joined(a, b);
    }
    int edges() const { return edges_; }
    const Row& out() const { return out_; }
    std::size_t words() const { return words_; }
    // Calls visit(w) for v -> w and for v - w.
    template <class F>
    void each_out(int v, F&& visit) const {
        for (std::size_t k = 0; k < words_; ++k)
            for (Word rest = outs(v)[k]; rest; rest &= rest - 1) visit(int(64 * k) + __builtin_ctzll(rest));
    }

    // Whether a path leads from a to b, each of its edges directed along it or, if `lines`, undirected.
    bool reaches(int a, int b, bool lines) {
        return spread(a, [&](int v, std::size_t k) { return lines ? outs(v)[k] : outs(v)[k] & ~ins(v)[k]; }, b);
    }

    // Whether a is an ancestor of b in every DAG of the class.
    //
    // If no directed path leads from a to b, let W be the neighbors w of a from which a path leads to b that has lines
    // first and then arrows, and no node besides w in Ne(a) or at a. Parents of a can be made of any clique K of Ne(a),
    // the others then being its children, and b is below a exactly if one of these is in W: so a has to be above b
    // unless K = W is possible.
    bool certainly_above(int a, int b) {
        if (reaches(a, b, false)) return true;
        Row above(words_), neighbors(words_), w_set(words_);
        spread(b, [&](int v, std::size_t k) { return ins(v)[k] & ~outs(v)[k]; }, -1);
        above = seen_;
        for (std::size_t k = 0; k < words_; ++k) neighbors[k] = outs(a)[k] & ins(a)[k];
        each(neighbors, [&](int w) {
            spread(
                w,
                [&](int v, std::size_t k) {
                    const Word barred = neighbors[k] | (k == std::size_t(a) / 64 ? Word(1) << (a % 64) : 0);
                    return outs(v)[k] & ins(v)[k] & ~barred;
                },
                -1);
            for (std::size_t k = 0; k < words_; ++k)
                if (seen_[k] & above[k]) {
                    w_set[std::size_t(w) / 64] |= Word(1) << (w % 64);
                    return;
                }
        });
        bool clique = true;
        each(w_set, [&](int w) {
            for (std::size_t k = 0; k < words_; ++k) {
                const Word self = k == std::size_t(w) / 64 ? Word(1) << (w % 64) : 0;
                if (w_set[k] & ~(outs(w)[k] | ins(w)[k] | self)) clique = false;
            }
        });
        return !clique;
    }

  private:
    std::size_t words_;
    int edges_ = 0;
    Row out_, in_, seen_;
    std::vector<int> todo_;

    const Word* outs(int v) const { return out_.data() + std::size_t(v) * words_; }
    const Word* ins(int v) const { return in_.data() + std::size_t(v) * words_; }
    int joined(int a, int b) const {
        return int((outs(a)[std::size_t(b) / 64] >> (b % 64) | ins(a)[std::size_t(b) / 64] >> (b % 64)) & 1);
    }
    void flip(std::size_t v, std::size_t w) {
        out_[v * words_ + w / 64] ^= Word(1) << (w % 64);
        in_[w * words_ + v / 64] ^= Word(1) << (v % 64);
    }
    template <class F>
    static void each(const Row& set, F&& visit) {
        for (std::size_t k = 0; k < set.size(); ++k)
            for (Word rest = set[k]; rest; rest &= rest - 1) visit(int(64 * k) + __builtin_ctzll(rest));
    }
    // All that is reached from a by `step`, which gives word k of the nodes after v, is then in seen_, a itself as
    // well. Ends early, with true, at the node `wanted`.
    template <class F>
    bool spread(int a, F&& step, int wanted) {
        seen_.assign(words_, 0);
        seen_[std::size_t(a) / 64] = Word(1) << (a % 64);
        todo_.assign(1, a);
        while (!todo_.empty()) {
            const int v = todo_.back();
            todo_.pop_back();
            if (v == wanted) return true;
            for (std::size_t k = 0; k < words_; ++k) {
                const Word fresh = step(v, k) & ~seen_[k];
                seen_[k] |= fresh;
                for (Word rest = fresh; rest; rest &= rest - 1) todo_.push_back(int(64 * k) + __builtin_ctzll(rest));
            }
        }
        return false;
    }
};

// Calls visit(record, graph) for every class, in an order in which the graph changes little.
template <class F>
void walk_classes(int n, const Records& records, F&& visit) {
    WalkedGraph graph(n);
    walk_records(
        records, [&](u64 pair, std::uint8_t change) { graph.toggle(pair, change); },
        [&](std::size_t i) { visit(i, graph); });
}

}  // namespace czz
