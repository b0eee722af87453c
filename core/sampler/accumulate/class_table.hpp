// The visited classes and the time spent in each, in bounded memory.
//
// A class is identified by its hash and stored as its difference from another class, mostly the one it was first
// reached from: a few pairs, however large the graph. When a limit is reached, the half with less time is dropped. From
// then on a new class is listed once it has accumulated, in a small table of candidates, kBar times the least time of a
// class that was kept. It is then stored as a whole graph, and not before enough visits (kCredit) have passed since the
// last one, so that this costs little per visit. The time in classes that are not listed is `unlisted`; listed and
// unlisted times add up to the total.
#pragma once
#include "base/forest_walk.hpp"
#include "base/index_table.hpp"
#include "graph/deltas.hpp"
#include <cmath>
#include <numeric>

namespace czz {

class ClassTable {
  public:
    static constexpr u32 kEmptyGraph = ~u32(0);
    struct Record {
        ClassHash hash;
        double held;  // time
        u32 from;     // the earlier record it differs from; kEmptyGraph: the graph without edges
        u32 begin;    // of its deltas; they end where those of the next record begin

        template <class A>
        void state(A& a) {
            a(hash, held, from, begin);
        }
    };

    ClassTable(std::size_t most_classes, std::size_t most_deltas)
        : most_classes_(std::max<std::size_t>(2, most_classes)), most_deltas_(most_deltas), index_(1024), filter_(32) {}

    const std::vector<Record>& records() const { return records_; }
    const std::vector<u32>& deltas() const { return deltas_; }  // pair << 2 | (mark before ^ mark after)
    double unlisted() const {
        double time = unlisted_;
        for (const Candidate& y : candidates_) time += y.held;
        return time;
    }

    void clear() {
        records_.clear();
        deltas_.clear();
        candidates_.clear();
        index_all(index_.slots());
        unlisted_ = 0;
        last_ = kEmptyGraph;
        full_ = false;
        entry_weight_ = 0;
        credit_ = 0;
    }

    // For a class that will be added soon: loads its slot, and later its record, into the processor's cache.
    void prefetch_slot(const ClassHash& h) const {
        if (full_) __builtin_prefetch(&candidates_[h.hi & (candidates_.size() - 1)]);
        if (!full_ || maybe_listed(h)) index_.prefetch(h.lo);
    }
    void prefetch_record(const ClassHash& h) const {
        const u32 record = maybe_listed(h) ? index_.first_probe(h.lo) : IndexTable::kNone;
        if (record != IndexTable::kNone) __builtin_prefetch(&records_[record]);
    }

    // Adds time in the class g, which was reached from the class of the previous call by g.changes.
    template <int W>
    void add(const Cpdag<W>& g, double held) {
        const u32 record = find(g.hash);
        if (record != IndexTable::kNone) {
            last_ = record;
            records_[last_].held += held;
        } else if (!full_) {
            const u32 from = last_;
            append(g, from, held);
            if (records_.size() > most_classes_ || deltas_.size() > most_deltas_) shrink();
        } else {
            last_ = kEmptyGraph;
            Candidate& y = candidates_[g.hash.hi & (candidates_.size() - 1)];
            if (!(y.hash == g.hash)) {
                unlisted_ += y.held;
                y = {g.hash, 0};
            }
            y.held += held;
            credit_ += kCredit;
            if (y.held >= entry_weight_ && credit_ >= std::size_t(g.n + g.edges)) {
                credit_ = 0;
                append(g, kEmptyGraph, y.held);
                y = {};
                if (records_.size() > most_classes_ || deltas_.size() > most_deltas_) shrink();
            }
        }
    }
    // The index follows from the records.
    template <class A>
    void state(A& a) {
        a.same(most_classes_);
        a.same(most_deltas_);
        a(records_, deltas_, candidates_, unlisted_, last_, full_, entry_weight_, credit_);
        if constexpr (A::kLoads) {
            a.check(candidates_.size() == (full_ ? kCandidates : 0) &&
                    (last_ == kEmptyGraph || last_ < records_.size()) && records_.size() <= most_classes_ &&
                    is_time(unlisted_) && entry_weight_ >= 0 &&
                    (records_.empty() ? deltas_.empty() : !records_[0].begin));
            for (const Candidate& y : candidates_) a.check(is_time(y.held));
            for (std::size_t i = 0; i < records_.size(); ++i)
                a.check((records_[i].from == kEmptyGraph || records_[i].from < i) && is_time(records_[i].held) &&
                        records_[i].begin <= deltas_.size() && (i == 0 || records_[i].begin >= records_[i - 1].begin));
            index_all(std::max<std::size_t>(1024, 2 * records_.size()));
        }
    }
    void rescale(int power) {
        for (Record& r : records_) r.held = std::ldexp(r.held, power);
        for (Candidate& y : candidates_) y.held = std::ldexp(y.held, power);
        unlisted_ = std::ldexp(unlisted_, power);
        entry_weight_ = std::ldexp(entry_weight_, power);
    }

  private:
    struct Candidate {
        ClassHash hash;
        double held = 0;

        template <class A>
        void state(A& a) {
            a(hash, held);
        }
    };
    static constexpr std::size_t kCandidates = 1 << 13;
    static constexpr std::size_t kReserved =
        1 << 17;  // records; memory that is never written is not allocated by the system
    static constexpr double kBar = 4;
    static constexpr std::size_t kCredit = 8;  // nodes and edges stored per visit, on average

    std::size_t most_classes_, most_deltas_;
    std::vector<Record> records_;
    std::vector<u32> deltas_;
    IndexTable index_;         // of the records, by hash
    std::vector<u64> filter_;  // two bits per slot of the index, one of them set for each record
    std::vector<Candidate> candidates_;
    double unlisted_ = 0;
    u32 last_ = kEmptyGraph;  // the record of the class of the last call, if listed
    bool full_ = false;
    double entry_weight_ = 0;
    std::size_t credit_ = 0;

    static bool is_time(double t) { return t >= 0 && std::isfinite(t); }
    u32 find(const ClassHash& h) const {
        if (!maybe_listed(h)) return IndexTable::kNone;
        return index_.find(h.lo, [&](u32 i) { return records_[i].hash == h; });
    }
    // A one-bit filter: false for most classes that are not listed, which avoids a cache miss in the index.
    bool maybe_listed(const ClassHash& h) const {
        const std::size_t bit = h.hi & (2 * index_.slots() - 1);
        return filter_[bit / 64] >> (bit % 64) & 1;
    }
    void index_record(u32 record) {
        const ClassHash& h = records_[record].hash;
        const std::size_t bit = h.hi & (2 * index_.slots() - 1);
        filter_[bit / 64] |= u64(1) << (bit % 64);
        index_.insert(h.lo, record);
    }
    void index_all(std::size_t slots) {
        index_.clear(slots);
        filter_.assign(index_.slots() / 32, 0);
        for (std::size_t i = 0; i < records_.size(); ++i) index_record(u32(i));
    }
    template <int W>
    void append(const Cpdag<W>& g, u32 from, double held) {
        last_ = u32(records_.size());
        if (records_.empty()) records_.reserve(std::min(most_classes_ + 1, kReserved));
        records_.push_back({g.hash, held, from, u32(deltas_.size())});
        if (from != kEmptyGraph) {
            for (const PairChange& c : g.changes) deltas_.push_back(delta(c.a, c.b, c.before ^ c.after));
        } else {
            for (int b = 0; b < g.n; ++b)
                (g.adjacent(b) & Bits<W>::first_n(b)).each([&](int a) {
                    deltas_.push_back(delta(a, b, g.mark(a, b)));
                });
        }
        if (index_.crowded(records_.size())) {
            index_all(4 * index_.slots());
        } else {
            index_record(last_);
        }
    }

    // Drops the half with less time, and stores the rest as a chain of differences along a walk of the tree of records.
    void shrink() {
        do {
            halve();
        } while (records_.size() > 1 && deltas_.size() > most_deltas_);
        full_ = true;
        last_ = kEmptyGraph;
        candidates_.resize(kCandidates);
    }
    void halve() {
        const std::size_t count = records_.size(), stay = std::max<std::size_t>(1, count / 2);
        std::vector<u32> heaviest(count);
        std::iota(heaviest.begin(), heaviest.end(), 0);
        std::nth_element(heaviest.begin(), heaviest.begin() + std::ptrdiff_t(stay - 1), heaviest.end(),
                         [&](u32 a, u32 b) {
                             const double x = records_[a].held, y = records_[b].held;
                             return x != y ? x > y : a < b;
                         });
        entry_weight_ = kBar * records_[heaviest[stay - 1]].held;
        enum : char { kGone = 0, kPassed = 1, kStays = 2 };  // passed: dropped, but on the path to one that stays
        std::vector<char> fate(count, kGone);
        for (std::size_t i = 0; i < stay; ++i) fate[heaviest[i]] = kStays;
        for (std::size_t i = count; i-- > 0;)
            if (fate[i] && records_[i].from != kEmptyGraph && !fate[records_[i].from]) fate[records_[i].from] = kPassed;

        for (std::size_t i = count; i-- > 0;)
            if (fate[i] != kStays) unlisted_ += records_[i].held;

        ForestWalk walk(count, [&](std::size_t i) {
            if (!fate[i]) return ForestWalk::kLeftOut;
            return records_[i].from == kEmptyGraph ? ForestWalk::kRoot : std::int64_t(records_[i].from);
        });
        std::vector<Record> records;
        std::vector<u32> deltas, walked;  // walked: deltas passed since the last record that stays
        records.reserve(stay);
        auto pass = [&](std::size_t i) {  // a difference is the same in both directions
            const std::size_t end = i + 1 < count ? records_[i + 1].begin : deltas_.size();
            walked.insert(walked.end(), deltas_.begin() + records_[i].begin, deltas_.begin() + std::ptrdiff_t(end));
        };
        for (std::int64_t i; (i = walk.next(pass)) >= 0;) {
            if (fate[std::size_t(i)] != kStays) continue;
            const Record& old = records_[std::size_t(i)];
            const u32 from = records.empty() ? kEmptyGraph : u32(records.size() - 1);
            records.push_back({old.hash, old.held, from, u32(deltas.size())});
            cancel(walked, deltas);
            walked.clear();
        }
        records_ = std::move(records);
        deltas_ = std::move(deltas);
        index_all(index_.slots());
    }
};

}  // namespace czz
