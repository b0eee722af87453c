// The cached rows and their rates. Only this class changes the rates or the units of a row: when a row is computed, and
// in change_units(), which the block that uses the row calls (target/block_weights.hpp).
#pragma once
#include "graph/operators.hpp"
#include "scores/score.hpp"
#include "target/process_settings.hpp"
#include "target/row_cache.hpp"
#include "target/row_draw.hpp"

namespace czz {

template <int W>
class RowRates {
    using B = Bits<W>;
    ProcessSettings process_;
    std::unique_ptr<RowKernel> kernel_;
    double insert_step_ = 0, delete_step_ = 0;  // prior steps inside the rates
    std::vector<B> kept_;                       // deletes that do not exist: x in kept_[y]; empty if all do
    int n_, words_, columns_;                   // of a row: nodes, words of their sets, and numbers, a multiple of 8
    std::vector<int> parents_;
    std::vector<double> difference_, rate_;  // of all nodes, of one row; working space

  public:
    bool prior_inside;  // the prior step depends on the number of edges and does not factor out of the balance
    bool listed;        // rows have unlikely inserts, which share places
    // Rows of many columns store only the differences of deletes, in place of the rates of deletes: half the memory and
    // half the memory traffic. The difference of an insert is then minus that of its inverse, a delete in the row of
    // the class that the insert leads to. Listed rows store all differences, unless a part of them can be computed
    // again fast.
    bool rates_only;

  private:
    RowCache<W> cache_;

  public:
    RowRates(const Score& score, const ProcessSettings& process, std::vector<B> kept, std::size_t cache_bytes)
        : process_(process), kernel_(score.kernel()), kept_(std::move(kept)), n_(score.n()), words_((n_ + 63) / 64),
          columns_((n_ + 7) / 8 * 8), difference_(std::size_t(columns_)),
          prior_inside(!process.prior.table.empty() && !process.is_sqrt()),
          // With the prior inside, what is unlikely would change with every jump.
          listed(process.unlikely_below > kMinusInf && !prior_inside),
          rates_only(score.n() > 64 && !score.expensive_rows() && !prior_inside && (!listed || score.has_parts())),
          cache_(n_, listed, !rates_only, cache_bytes - kernel_->limit_cache(cache_bytes / 4)) {
        if (listed) rate_.resize(std::size_t(n_ + 15) / 16 * 16);
        if (process.prior.table.empty()) {
            insert_step_ = process.prior.slope;
            delete_step_ = -process.prior.slope;
        }
    }
    const ProcessSettings& process() const { return process_; }
    const RowCache<W>& cache() const { return cache_; }
    int nodes() const { return n_; }

    const CachedRow<W>& operator[](u32 id) const { return cache_.row(id); }
    // The row (y, S), which stays in the cache until it is unpinned as often.
    u32 pin(int y, const B& S) {
        return cache_.pin(y, S, [&](CachedRow<W>& row) { compute(row); });
    }
    void pin(u32 id) { cache_.pin(id); }
    void unpin(u32 id) { cache_.unpin(id); }
    // A pinned row: computes its rates again, for the present number of edges and in units that suit these places.
    void change_units(u32 id, const B& places) {
        CachedRow<W>& row = cache_[id];
        const double* difference = all_differences(row);
        double top = kMinusInf;
        nodes_at(row, places).each([&](int x) { top = std::max(top, difference[x]); });
        row.insert_exponent = exponent(top);
        write_rates(row, difference);
    }
    void take_memory(RowRates& other) { cache_.take_memory(other.cache_); }

    // The saved state: which rows are cached, and their units. Rows are computed when they are next pinned.
    template <class A>
    void state(A& a) {
        a(cache_);
    }
    // Pins a row of a loaded state if it is the row (y, S); returns whether it is.
    bool restore(u32 id, int y, const B& S) {
        if (!cache_.holds(id, y, S)) return false;
        cache_.pin(id);
        if (CachedRow<W>& row = cache_[id]; row.pending) compute(row);
        return true;
    }

    // Whether a class with this number of edges has a weight.
    bool allows(int edges) const { return process_.prior.weight(edges) > kMinusInf; }

    B removable(const B& S, int y) const { return kept_.empty() ? S : S - kept_[y]; }

    // The prior step that is not part of the stored rates: with the sqrt balance it is a common factor.
    double outer_step(int edges, int by) const {
        if (process_.prior.table.empty() || prior_inside) return 0;
        return 0.5 * process_.prior.step(edges, by);
    }
    void set_steps(int edges) {
        if (!prior_inside) return;
        insert_step_ = std::max(process_.prior.step(edges, 1), -2e15);  // finite, but the rate is 0
        delete_step_ = std::max(process_.prior.step(edges, -1), -2e15);
    }

    // The nodes that have no place of their own in a listed row.
    B unlikely(const CachedRow<W>& row) const {
        B out = B::first_n(n_) - row.likely;
        out -= row.S;
        out.reset(row.y);
        return out;
    }
    // The places in a row of those of the nodes that are likely, and of all unlikely nodes.
    B places_of(const CachedRow<W>& row, const B& nodes) const {
        if (!listed) return nodes;
        B out;
        int place = 0;
        for (int i = 0; i < words_; ++i) {
            const u64 likely = row.likely.word(i);
            if (!likely) continue;
            each_bit(likely & nodes.word(i), 0,
                     [&](int j) { out.set(place + popcount(likely & ((u64(1) << j) - 1))); });
            place += popcount(likely);
        }
        for (int i = place / 64; 64 * i < row.inserts; ++i)
            out.at(i) |=
                (~u64(0) >> std::max(0, 64 * (i + 1) - row.inserts)) & (~u64(0) << std::max(0, place - 64 * i));
        return out;
    }
    B nodes_at(const CachedRow<W>& row, const B& places) const {
        if (!listed) return places;
        B out;
        int place = 0;
        row.likely.each([&](int x) {
            if (places.test(place++)) out.set(x);
        });
        return place < row.inserts && places.test(place) ? out | unlikely(row) : out;
    }
    // The rates of the nodes of one word, at the index of the node, valid until the next call.
    const double* some_rates(const CachedRow<W>& row, int word) {
        const int first = 64 * word, count = std::min(64, columns_ - first);
        const double* difference = row.difference;
        if (rates_only) {
            list_parents(row);
            kernel_->part(row.y, parents_, first, count, difference_.data());
            difference = difference_.data();
        }
        write(row, first, count, difference, rate_.data());
        return rate_.data();
    }
    // The rates of all inserts of a row, at the index of their node, valid until the next call.
    const double* all_rates(const CachedRow<W>& row) {
        if (!listed) return row.rate;
        const double* difference = all_differences(row);
        write(row, 0, columns_, difference, rate_.data());
        return rate_.data();
    }
    // All score differences of a row, valid until the next call.
    const double* all_differences(const CachedRow<W>& row) { return rates_only ? differences(row) : row.difference; }
    // The log of a rate, without the range of the stored ones.
    double log_rate(double difference, int edges, int by) const {
        return log_balance(process_, process_.log_ratio(difference, edges, by));
    }
    // The score difference and the rate of deleting x.
    double delete_difference(const CachedRow<W>& row, int x) const {
        if (!rates_only) return row.difference[x];
        return row.rate[listed ? row.inserts + row.S.rank(x) : x];
    }
    double delete_rate(const CachedRow<W>& row, int x) const {
        if (!rates_only && !listed) return row.rate[x];
        return exp_shifted(log_delete_rate(delete_difference(row, x)), row.delete_exponent);
    }

    // The node of an insert at position u of the cumulative rates at the open places; open_word(i) returns those of
    // word i. Inlined, as without it chains on up to 50 nodes make 2 to 4 % fewer jumps per second.
    template <class F>
    [[gnu::always_inline]] int draw_insert(const CachedRow<W>& row, F&& open_word, double u) {
        const int place = draw_place(row.rate, row.inserts, open_word, u);
        if (!listed) return place;
        int later = place - row.likely.count();
        if (later < 0) return row.likely.nth(place);
        const B others = unlikely(row);
        int word = 0;
        while (!others.word(word) || later-- > 0) ++word;
        return draw_in_word(some_rates(row, word), word, others.word(word), u);
    }
    // The node of a delete at position u of the cumulative rates of the removable nodes.
    int draw_delete(const CachedRow<W>& row, B removable, double u) const {
        int x = -1;
        for (int v; !(u < 0) && (v = removable.first()) >= 0;) {
            removable.reset(v);
            const double rate = delete_rate(row, v);
            if (!(rate > 0)) continue;
            x = v;
            u -= rate;
        }
        if (x < 0) no_rate_is_positive();
        return x;
    }
    // Adds the score difference to an operator of this row, which is drawn. `S`: the parents of y in the row.
    [[gnu::always_inline]] DrawnOperator<W> with_difference(const Operator<W>& op, B S, const CachedRow<W>& row) {
        S.flip(op.x);  // the parents of y in a member of the new class
        if (!rates_only || !op.insert) {
            if (n_ > kSmall) prefetch_row(prefetch_slot(op.y, S));
            return {op, op.insert ? row.difference[op.x] : delete_difference(row, op.x)};
        }
        const u32 after = pin(op.y, S);
        unpin(after);
        return {op, -delete_difference((*this)[after], op.x)};
    }

    static constexpr int kSmall = 32;  // rows of at most this many columns stay in the cache and need no prefetching
    u64 prefetch_slot(int y, const B& S) const { return cache_.prefetch_slot(y, S); }
    void prefetch_row(u64 hash) const { cache_.prefetch_row(hash); }

  private:
    // Computes all of a row that is new or pending.
    void compute(CachedRow<W>& row) {
        const double* difference = differences(row);
        const double top = largest(columns_, difference);
        if (!row.pending) row.insert_exponent = exponent(top);
        row.pending = false;  // a pending row keeps the units it was saved with
        write_rates(row, difference);
    }
    const double* differences(const CachedRow<W>& row) {
        list_parents(row);
        double* const out = rates_only ? difference_.data() : row.difference;
        kernel_->row(row.y, parents_, out);
        out[row.y] = -1e300;  // y is not a candidate
        return out;
    }
    void list_parents(const CachedRow<W>& row) {
        parents_.clear();
        row.S.each([&](int v) { parents_.push_back(v); });
    }
    double log_delete_rate(double difference) const {
        return log_balance(process_, process_.coldness * difference + delete_step_);
    }
    double log_ratio(double difference) const { return process_.coldness * difference + insert_step_; }
    // The binary exponent of the rate of an insert.
    double exponent(double difference) const { return exponent_of_exp(log_balance(process_, log_ratio(difference))); }
    void find_likely(CachedRow<W>& row, const double* difference) {
        const double coldness = process_.coldness, least = process_.unlikely_below - insert_step_;
        for (int x = 0; x < columns_; x += 8) {
            u64 some = 0;
            for (int j = 0; j < 8; ++j) some |= u64(coldness * difference[x + j] >= least) << j;
            u64& word = row.likely.at(x / 64);
            word = (word & ~(u64(255) << x % 64)) | some << x % 64;
        }
        for (int x = n_; x < columns_; ++x) row.likely.reset(x);
        row.likely -= row.S;
    }
    // The rates of some inserts in the units of the row.
    void write(const CachedRow<W>& row, int first, int count, const double* difference, double* out) {
        rates(count, process_, process_.coldness, insert_step_, log_ratio(largest(count, difference + first)),
              row.insert_exponent, difference + first, out + first);
    }
    void write_rates(CachedRow<W>& row, const double* difference) {
        if (listed) {
            find_likely(row, difference);
            write(row, 0, columns_, difference, rate_.data());
            list_rates(row);
        } else {
            write(row, 0, columns_, difference, row.rate);
        }
        double highest = kMinusInf;
        const B removable = this->removable(row.S, row.y);
        removable.each([&](int x) { highest = std::max(highest, log_delete_rate(difference[x])); });
        row.delete_exponent = exponent_of_exp(highest);
        row.delete_sum = 0;
        removable.each([&](int x) {
            const double rate = exp_shifted(log_delete_rate(difference[x]), row.delete_exponent);
            row.delete_sum += rate;
            if (!listed) row.rate[x] = rates_only ? difference[x] : rate;
        });
        int place = row.inserts;
        if (listed) row.S.each([&](int x) { row.rate[place++] = difference[x]; });
    }
    void list_rates(CachedRow<W>& row) {
        auto& list = row.listed;
        list.clear();
        list.reserve(std::size_t((row.likely.count() + words_ + row.S.count() + 15) / 16 * 16));
        row.likely.each([&](int x) { list.push_back(rate_[std::size_t(x)]); });
        const B others = unlikely(row);
        for (int i = 0; i < words_; ++i)
            if (others.word(i))
                list.push_back(
                    masked_sum(&rate_[std::size_t(64 * i)], std::min(64, int(rate_.size()) - 64 * i), others.word(i)));
        row.inserts = int(list.size());
        list.resize((list.size() + std::size_t(row.S.count()) + 15) / 16 * 16);
        row.places = u32(list.size());
        row.rate = list.data();
    }
};

}  // namespace czz
