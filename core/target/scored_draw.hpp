// Draws an operator of a scored target in proportion to its rate, with its score difference.
#pragma once
#include "graph/operators.hpp"
#include "target/row_cache.hpp"
#include <stdexcept>

namespace czz {

template <class Target>
struct ScoredDraw;

template <template <int> class Scored, int W>
struct ScoredDraw<Scored<W>> {
    using B = Bits<W>;
    using G = Cpdag<W>;
    Scored<W>& t;

    // The one at position u in [0, total) of the cumulative rates of the inserts or the deletes.
    DrawnOperator<W> at(const G& g, bool insert, double u) {
        const int y = (insert ? t.inserts_ : t.deletes_).pick(u);
        const auto& b = pick_block(y, insert, u);
        const CachedRow<W>& row = t.cache_[b.row];
        const B S = g.pa[y] | b.K;
        const int x =
            insert ? pick_insert(b, row, u / b.unit)
                   : pick_delete(row, t.rates_.removable(S, y), u / power_of_two(row.delete_exponent - t.delete_unit_));
        return with_difference(g, {insert, x, y, b.K}, S, row);
    }

  private:
    // u becomes the position within the block.
    const auto& pick_block(int y, bool insert, double& u) const {
        const auto& blocks = t.rows_[y].blocks;
        std::size_t chosen = blocks.size();
        for (std::size_t i = 0; i < blocks.size(); ++i) {
            const double w = insert ? blocks[i].inserts : blocks[i].deletes;
            if (!(w > 0)) continue;
            chosen = i;
            if (u < w) break;
            u -= w;
        }
        if (chosen == blocks.size()) no_rate();
        return blocks[chosen];
    }
    // Inlined, as with_difference is: without it chains on up to 50 nodes make 2 to 4 % fewer jumps per second.
    template <class Block>
    [[gnu::always_inline]] int pick_insert(const Block& b, const CachedRow<W>& row, double u) {
        const int place = pick_place(b.rate, b.places, [&](int i) { return b.X.word(i) & ~t.shut_.word(i); }, u);
        if (!t.rates_.listed) return place;
        int later = place - row.likely.count();
        if (later < 0) return row.likely.nth(place);
        const B unlikely = t.rates_.unlikely(row);
        int word = 0;
        while (!unlikely.word(word) || later-- > 0) ++word;
        return pick_in(t.rates_.some_rates(row, word), word, unlikely.word(word), u);
    }
    // The place at position u of the cumulative rates of the open places; u becomes the position within its rate.
    template <class F>
    static int pick_place(const double* rate, int places, F&& open_word, double& u) {
        const int words = (places + 63) / 64;
        int word = words == 1 ? 0 : -1;
        for (int i = 0; words > 1 && i < words; ++i) {
            const int lanes = std::min(64, (places - 64 * i + 15) & ~15);
            const double sum = masked_sum(rate + 64 * i, lanes, open_word(i));
            if (!(sum > 0)) continue;
            word = i;
            if (u < sum) break;
            u -= sum;
        }
        if (word < 0) no_rate();
        return pick_in(rate, word, open_word(word), u);
    }
    static int pick_in(const double* rate, int word, u64 open, double& u) {
        int place = -1;
        for (u64 mask = open; mask; mask &= mask - 1) {
            const int j = 64 * word + std::countr_zero(mask);
            if (!(rate[j] > 0)) continue;
            place = j;
            if (u < rate[j]) break;
            u -= rate[j];
        }
        if (place < 0) no_rate();
        return place;
    }
    int pick_delete(const CachedRow<W>& row, B removable, double u) const {
        int x = -1;
        for (int v; !(u < 0) && (v = removable.first()) >= 0;) {
            removable.reset(v);
            const double rate = t.rates_.delete_rate(row, v);
            if (!(rate > 0)) continue;
            x = v;
            u -= rate;
        }
        if (x < 0) no_rate();
        return x;
    }
    // An operator on the parents S of y, of this row.
    [[gnu::always_inline]] DrawnOperator<W> with_difference(const G& g, const Operator<W>& op, B S,
                                                            const CachedRow<W>& row) {
        if (t.rates_.listed && op.insert && !row.likely.test(op.x) && t.refuses(g, op)) return {op, 0, false};
        S.flip(op.x);  // the parents of y in a member of the new class
        if (!t.rates_.rates_only || !op.insert) {
            if (t.n_ > t.kSmall) t.cache_.prefetch_row(t.cache_.prefetch_slot(op.y, S));
            return {op, op.insert ? row.difference[op.x] : t.rates_.delete_difference(row, op.x)};
        }
        const u32 after = t.pin(op.y, S);
        t.cache_.unpin(after);
        return {op, -t.rates_.delete_difference(t.cache_[after], op.x)};
    }
    // Only if a score is not a number.
    [[noreturn, gnu::cold, gnu::noinline]] static void no_rate() { throw std::logic_error("no rate is positive"); }
};

}  // namespace czz
