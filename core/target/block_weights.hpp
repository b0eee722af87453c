// The operators of one clique of a node: where its inserts are in the cached row, the sum of their rates, and their
// weights in units that all blocks of a target share.
#pragma once
#include "target/row_rates.hpp"

namespace czz {

// The operators (K, x) of one clique K: inserts at the places X of its row (less those that are shut), deletes for x in
// S = Pa(y) ∪ K.
template <int W>
struct InsertBlock {
    Bits<W> K, X;
    u32 row;
    int places;  // for inserts, of the row
    const double* rate;
    WideSum sum;              // of the insert rates, in units of 2^insert_exponent
    double total;             // its value
    double peak;              // the largest value since the sum was computed from scratch
    double unit;              // 2^insert_exponent in the units of the weights
    double inserts, deletes;  // its part of the weights of its node

    template <class A>
    void state(A& a) {
        a(K, row, sum, peak);
    }
    int words() const { return W == 1 ? 1 : (places + 63) / 64; }
    // Adds the rates of some places of a word that are now in X, subtracts those of the others.
    void toggle(int word, u64 which, u64 now) {
        for (u64 m = which; m; m &= m - 1) {
            const int j = std::countr_zero(m);
            const u64 r = std::bit_cast<u64>(rate[64 * word + j]);
            sum.add(std::bit_cast<double>(r ^ (~now >> j) << 63));  // sets the sign without a branch
        }
    }
};

// The rows of a target with what its blocks sum over them. A row is in use by one block at a time, except while its
// node is fitted to a new class: the block that is about to go then still uses it, but is not summed any more. So a
// block may change the units of its row.
template <int W>
class BlockWeights {
    using B = Bits<W>;
    using Block = InsertBlock<W>;

  public:
    RowRates<W> rows;
    B shut;                                   // places that are left out of all blocks
    double insert_unit = 0, delete_unit = 0;  // binary exponents of the units of the weights

    BlockWeights(const Score& score, const ProcessSettings& process, std::vector<B> kept, std::size_t cache_bytes)
        : rows(score, process, std::move(kept), cache_bytes) {}

    B open_places(const Block& b) const { return b.X - shut; }
    // A new block with this row, which is pinned.
    void begin(Block& b, const B& K, u32 row, const B& X) {
        b.K = K;
        b.X = X;
        b.row = row;
        // In the rates of a cached row the prior step may be that of another number of edges.
        if (rows.prior_inside) suit_units(b);
        point(b);
        sum_and_weigh(b);
    }
    // After a change of the prior step.
    void renew(Block& b) {
        suit_units(b);
        point(b);
        sum_and_weigh(b);
    }
    // Sets new places: adds the rates of new ones, subtracts those of former ones. Returns whether there are any.
    bool refit(Block& b, const B& X) {
        bool changed = false;
        for (int i = 0; i < b.words(); ++i) {
            const u64 old = b.X.word(i), now = X.word(i);
            if (old == now) continue;
            b.X.at(i) = now;
            changed = true;
            b.toggle(i, (old ^ now) & ~shut.word(i), now);
        }
        if (changed) update_total(b);
        return changed;
    }
    // After a place of X was shut, or opened.
    void shut_or_open(Block& b, int place, bool is_shut) {
        b.sum.add(is_shut ? -b.rate[place] : b.rate[place]);
        update_total(b);
    }
    void weigh(Block& b) const {
        const CachedRow<W>& r = rows[b.row];
        b.unit = power_of_two(r.insert_exponent - insert_unit);
        b.inserts = b.total * b.unit;
        b.deletes = r.delete_sum * power_of_two(r.delete_exponent - delete_unit);
    }

    // A block of a loaded state, of which K, row, sum and peak are set: whether the sum is that of the rates.
    bool restore(Block& b, const B& X) {
        b.X = X;
        point(b);
        b.total = b.sum.value();
        const double value = sum_of_rates(b).value(), difference = std::abs(b.total - value);
        weigh(b);
        return std::isfinite(b.peak) && b.peak >= b.total && b.total >= 0 && difference <= 0x1p-40 * b.peak &&
               (value > 0) == (b.total > 0);
    }

  private:
    void point(Block& b) const {
        b.places = rows[b.row].inserts;
        b.rate = rows[b.row].rate;
    }
    WideSum sum_of_rates(const Block& b) const {
        const B open = open_places(b);
        return wide_masked_sum(b.rate, std::min((b.places + 15) & ~15, 64 * open.words()), open.data());
    }
    void sum(Block& b) const {
        if (b.places <= 16) {  // faster than a call
            b.sum = {};
            b.toggle(0, open_places(b).word(0), ~u64(0));
        } else {
            b.sum = sum_of_rates(b);
        }
        b.total = b.peak = b.sum.value();
    }
    void sum_and_weigh(Block& b) {
        sum(b);
        weigh(b);
        update_total(b);
    }
    // A sum that has fallen far below its peak is computed from scratch. If the units of the row do not suit its
    // present candidates, others are chosen: rates change by an exact power of two, so only rates below 2^-500 of the
    // sum depend on the units.
    void update_total(Block& b) {
        b.total = b.sum.value();
        b.peak = std::max(b.peak, b.total);
        if (b.total < 0x1p-30 * b.peak) sum(b);
        if (!(b.total > 0x1p-400 && b.total < 0x1p+400) && open_places(b).any()) {
            suit_units(b);
            point(b);  // the rates of a listed row have moved
            sum(b);
            weigh(b);
        }
        b.inserts = b.total * b.unit;
    }
    void suit_units(Block& b) {
        const B open = open_places(b);
        rows.change_units(b.row, open.any() ? open : B::first_n(rows.nodes()));
    }
};

}  // namespace czz
