// A cache of rows of scores and rates, in bounded memory besides the rows in use. An evicted row is computed again to
// the same bits, so the limit changes the speed and never a result.
#pragma once
#include "base/index_table.hpp"
#include "base/math.hpp"
#include <algorithm>
#include <cstdlib>
#include <functional>
#include <limits>
#include <memory>
#include <utility>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace czz {

// One row (y, S): toggling x in the parents S of y. A full row has n places, one per node x. A listed row, of a target
// with unlikely inserts, has a place for each likely x, in increasing order; then one for each word of a node set in
// which some x are unlikely, with the sum of their rates, which are computed again when one of them is drawn; and then
// one for each x in S. So the memory of a row hardly grows with n.
template <int W>
struct CachedRow {
    Bits<W> S;
    int y = -1;
    u32 pins = 0;                  // number of blocks that use it; a pinned row is never evicted
    bool recent = false;           // used since the clock hand last passed it
    bool pending = false;          // loaded from a saved state: its numbers are still to be computed
    int inserts = 0;               // number of places of inserts
    double insert_exponent = 0;    // rates are in units of 2^insert_exponent for x outside S,
    double delete_exponent;        // of 2^delete_exponent for x in S
    double delete_sum;             // the sum of the rates of S
    Bits<W> likely;                // of a listed row: the x that have places of their own
    double* rate = nullptr;        // padded to a multiple of 16
    double* difference = nullptr;  // of all n nodes; null where the cache does not keep them
    std::vector<double> listed;    // the rates of a listed row,
    u32 places = 0;                // and their number
};

template <int W>
class RowCache {
    using B = Bits<W>;

    int n_;
    std::size_t rate_size_, row_size_;  // rate_size_: 0 if rows are listed
    std::size_t bytes_, fixed_;         // the limit, and what each row takes besides its listed rates
    u32 chunk_rows_;
    std::vector<CachedRow<W>> rows_;
    IndexTable index_;                   // of the rows that hold something, by hash
    std::size_t hand_ = 0, pinned_ = 0;  // pinned_: the number of pinned rows
    std::size_t places_ = 0;             // of listed rates of the other rows
    std::vector<u32> free_;              // rows that hold nothing, the first one last

    // Rows are allocated in large chunks, on huge pages where available, because the rows in use are scattered over all
    // of the memory.
    static constexpr std::size_t kChunk = std::size_t(1) << 21;
    struct Release {
        void operator()(double* p) const { ::operator delete(p, std::align_val_t(kChunk)); }
    };
    std::vector<std::unique_ptr<double, Release>> chunks_;

    static u64 hash(int y, const B& S) { return S.hash(0x1234567 + u64(y)); }
    u64 hash_of(u32 id) const { return hash(rows_[id].y, rows_[id].S); }

  public:
    std::size_t lookups = 0, misses = 0, evictions = 0;

    RowCache(int n, bool listed, bool differences, std::size_t bytes)
        : n_(n), rate_size_(listed ? 0 : std::size_t(n + 15) / 16 * 16),
          row_size_(rate_size_ + (differences ? std::size_t(n + 7) / 8 * 8 : 0)), bytes_(bytes),
          fixed_(row_size_ * sizeof(double) + (listed ? list_bytes(n) : 0)),
          chunk_rows_(u32(std::max<std::size_t>(64, kChunk / std::max<std::size_t>(1, row_size_ * sizeof(double))))),
          index_(1024) {
        // Wide rows are large, and growing would need twice the memory for a moment.
        if (listed && W > 8) rows_.reserve(std::min(bytes_ / fixed_, std::size_t(1) << 16) + 4 * std::size_t(n));
    }
    // The memory of a listed row without its rates, about.
    static std::size_t list_bytes(int n) { return sizeof(CachedRow<W>) + 3 * std::size_t(n) / 8; }

    // Takes the counts of a cache that is no longer used, and its memory where rows have the same size: the system
    // needs time to provide fresh memory.
    void take_memory(RowCache& other) {
        if (row_size_ == other.row_size_) chunks_ = std::move(other.chunks_);
        lookups = other.lookups;
        misses = other.misses;
        evictions = other.evictions;
    }

    CachedRow<W>& operator[](u32 id) { return rows_[id]; }
    const CachedRow<W>& row(u32 id) const { return rows_[id]; }
    const std::vector<CachedRow<W>>& rows() const { return rows_; }

    // For a row (y, S) that will be pinned soon: loads its slot of the index, and later the row itself, into the
    // processor's cache. The hardware continues to prefetch rows of many columns by itself.
    u64 prefetch_slot(int y, const B& S) const {
        const u64 h = hash(y, S);
        index_.prefetch(h);
        return h;
    }
    void prefetch_row(u64 h) const {
        const u32 id = index_.first_probe(h);
        if (id == IndexTable::kNone) return;
        __builtin_prefetch(&rows_[id]);
        const double* rate = row_size_ ? place_of(id) : nullptr;
        for (std::size_t i = 0; i < std::min<std::size_t>(rate_size_, 128); i += 8) __builtin_prefetch(rate + i);
    }

    // Returns the row (y, S), pinned; fill(row) computes it if it is not in the cache.
    template <class F>
    u32 pin(int y, const B& S, F&& fill) {
        ++lookups;
        const u32 found = index_.find(hash(y, S), [&](u32 i) { return rows_[i].y == y && rows_[i].S == S; });
        if (found != IndexTable::kNone) {
            CachedRow<W>& r = rows_[found];
            pin(found);
            r.recent = true;
            try {
                if (r.pending) fill(r);
            } catch (...) {  // the score failed: the row stays pending
                unpin(found);
                throw;
            }
            return found;
        }
        ++misses;
        const u32 id = free_row();
        CachedRow<W>& r = rows_[id];
        r.y = y;
        r.S = S;
        pin(id);
        r.recent = true;
        try {
            fill(r);
        } catch (...) {  // the score failed: the row becomes free again
            unpin(id);
            discard(id);
            throw;
        }
        enter(id);
        return id;
    }
    // The number of listed rates of a row may only change while it is pinned.
    void pin(u32 id) {
        if (rows_[id].pins++ > 0) return;
        ++pinned_;
        places_ -= rows_[id].places;
    }
    void unpin(u32 id) {
        if (--rows_[id].pins > 0) return;
        --pinned_;
        places_ += rows_[id].places;
    }

    // Saves which rows are in the cache, their units, and the order of eviction; not their numbers, which fill()
    // computes again. Pins are restored by their owners.
    template <class A>
    void state(A& a) {
        u64 count = rows_.size(), hand = hand_;
        a(count, hand, lookups, misses, evictions);
        if constexpr (A::kLoads) {
            a.check(count < IndexTable::kNone && (hand < count || hand == 0) && rows_.empty());
            hand_ = std::size_t(hand);
        }
        for (std::size_t i = 0; i < count; ++i) {
            if constexpr (A::kLoads) add_row();
            CachedRow<W>& r = rows_[i];
            a(r.y, r.S, r.recent, r.insert_exponent);
            if (!rate_size_) a(r.places);
            if constexpr (A::kLoads) {
                a.check(r.places <= 2 * u32(n_) + 64);
                places_ += r.places;
                if (r.y < 0) free_.insert(free_.begin(), u32(i));
                r.pending = r.y >= 0;
                a.check(is_exponent(r.insert_exponent) && r.y >= -1 && r.y < n_ && (r.y < 0 || !r.S.test(r.y)));
                a.check(subset(r.S, B::first_n(n_)));
            }
        }
        if constexpr (A::kLoads) {
            index_.clear(std::max<std::size_t>(1024, 2 * rows_.size()));
            for (u32 i = 0; i < rows_.size(); ++i)
                if (rows_[i].y >= 0) {
                    const auto same = [&](u32 j) { return rows_[j].y == rows_[i].y && rows_[j].S == rows_[i].S; };
                    a.check(index_.find_or_insert(hash_of(i), i, same) == i);
                }
        }
    }
    bool holds(u32 id, int y, const B& S) const { return id < rows_.size() && rows_[id].y == y && rows_[id].S == S; }

  private:
    void enter(u32 id) {
        if (index_.crowded(rows_.size())) {
            index_.clear(2 * index_.slots());
            for (u32 i = 0; i < rows_.size(); ++i)
                if (i != id && rows_[i].y >= 0) index_.insert(hash_of(i), i);
        }
        index_.insert(hash_of(id), id);
    }
    void remove(u32 id) {
        index_.erase(id, [&](u32 i) { return hash_of(i); });
        discard(id);
    }
    void discard(u32 id) {
        CachedRow<W>& r = rows_[id];
        r.y = -1;
        r.pending = false;
        places_ -= std::exchange(r.places, 0);
        r.listed = {};
        free_.insert(std::upper_bound(free_.begin(), free_.end(), id, std::greater()), id);
    }
    // Whether the rows that hold something and are not pinned, and one more, exceed the limit.
    bool is_full() const {
        const std::size_t others = rows_.size() - pinned_ - free_.size();
        return others > 0 && (others + 1) * fixed_ + places_ * sizeof(double) > bytes_;
    }
    // A free row. If the limit is exceeded, rows are evicted that the clock hand finds neither pinned nor recent (the
    // CLOCK algorithm).
    u32 free_row() {
        for (std::size_t step = 0; step < 2 * rows_.size() && is_full(); ++step) {
            const u32 id = u32(hand_);
            hand_ = (hand_ + 1) % rows_.size();
            CachedRow<W>& r = rows_[id];
            if (r.y < 0 || r.pins || std::exchange(r.recent, false)) continue;
            remove(id);
            ++evictions;
        }
        if (free_.empty()) {
            add_row();
            return u32(rows_.size() - 1);
        }
        const u32 id = free_.back();
        free_.pop_back();
        return id;
    }
    void add_row() {
        CachedRow<W>& row = rows_.emplace_back();
        if (!row_size_) return;
        double* const place = allocate(u32(rows_.size() - 1));
        if (row_size_ > rate_size_) row.difference = place + rate_size_;
        if (!rate_size_) return;
        row.rate = place;
        row.inserts = n_;
        std::fill(place + std::size_t(n_ + 7) / 8 * 8, place + rate_size_, 0.0);
    }
    double* place_of(u32 id) const { return chunks_[id / chunk_rows_].get() + id % chunk_rows_ * row_size_; }
    double* allocate(u32 id) {
        if (id / chunk_rows_ == chunks_.size()) {
            const std::size_t bytes = (chunk_rows_ * row_size_ * sizeof(double) + kChunk - 1) / kChunk * kChunk;
            chunks_.emplace_back(static_cast<double*>(::operator new(bytes, std::align_val_t(kChunk))));
#if defined(__linux__) && defined(MADV_HUGEPAGE)
            madvise(chunks_.back().get(), bytes, MADV_HUGEPAGE);
#endif
        }
        return place_of(id);
    }
};

}  // namespace czz
