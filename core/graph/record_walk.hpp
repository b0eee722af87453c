// A walk through the listed classes of a chain that goes from one to the next by the few pairs that differ.
//
// Record i differs from record from[i], an earlier one, or from the graph without edges if from[i] is negative, by the
// deltas begin[i] .. begin[i + 1] - 1, each a pair << 2 | (mark there ^ mark here).
#pragma once
#include "base/forest_walk.hpp"
#include "graph/cpdag.hpp"
#include <cmath>

namespace czz {

struct Records {
    std::size_t count;
    const std::int64_t* from;
    const u64* begin;
    const u32* deltas;
};

inline std::pair<int, int> pair_ends(u64 pair) {  // the a < b with this pair_index
    int b = int((1 + std::sqrt(1 + 8 * double(pair))) / 2);
    b -= pair_index(0, b) > pair;  // if the root was rounded up
    return {int(pair - pair_index(0, b)), b};
}

// The records one after another, each reached from its neighbors in the forest.
class RecordWalk {
    Records r_;
    ForestWalk forest_;

  public:
    explicit RecordWalk(const Records& r)
        : r_(r), forest_(r.count, [&](std::size_t i) { return std::max<std::int64_t>(r.from[i], ForestWalk::kRoot); }) {
    }
    // The next record, or -1 after the last; calls toggle(pair, marks) for each delta on the way. The deltas that lead
    // into a record lead out of it as well.
    template <class Toggle>
    std::int64_t next(Toggle&& toggle) {
        return forest_.next([&](std::size_t i) {
            for (u64 k = r_.begin[i]; k < r_.begin[i + 1]; ++k)
                toggle(u64(r_.deltas[k] >> 2), std::uint8_t(r_.deltas[k] & 3));
        });
    }
};

// Calls toggle(pair, marks) for each delta on the way, and visit(i) once per record.
template <class Toggle, class Visit>
void walk_records(const Records& r, Toggle&& toggle, Visit&& visit) {
    RecordWalk walk(r);
    for (std::int64_t i; (i = walk.next(toggle)) >= 0;) visit(std::size_t(i));
}

// The sums over all records of value[i] · [a -> b] and of value[i] · [a - b], n by n, the latter for a < b only. The
// sums of a pair are updated when its mark changes.
inline void edge_sums(int n, const Records& r, const double* value, double* directed, double* undirected) {
    const std::size_t pairs = pair_index(0, std::max(1, n));
    std::vector<std::uint8_t> marks(pairs);
    std::vector<double> since(pairs), held(4 * pairs);
    double now = 0;
    walk_records(
        r,
        [&](u64 pair, std::uint8_t change) {
            held[4 * pair + marks[pair]] += now - since[pair];
            marks[pair] ^= change;
            since[pair] = now;
        },
        [&](std::size_t i) { now += value[i]; });
    for (std::size_t pair = 0; pair < pairs; ++pair) {
        const auto [a, b] = pair_ends(pair);
        directed[std::size_t(a) * n + b] = held[4 * pair + kForward];
        directed[std::size_t(b) * n + a] = held[4 * pair + kBackward];
        undirected[std::size_t(a) * n + b] = held[4 * pair + kLine];
    }
}

// The sums of value[i] · [mark m] over the records of each batch, for chosen pairs: at (batch, column, m - 1), where
// column[pair] is negative for pairs that are not chosen. Records of one batch are consecutive in the walk.
inline void batch_sums(const Records& r, const double* value, const u32* batch, const std::vector<std::int64_t>& column,
                       std::size_t columns, double* out) {
    std::vector<std::uint8_t> marks(columns);
    std::vector<double> since(columns);
    double now = 0;
    std::size_t at = 0;
    auto add_sum = [&](std::size_t c) {
        if (marks[c]) out[3 * (at * columns + c) + marks[c] - 1] += now - since[c];
        since[c] = now;
    };
    walk_records(
        r,
        [&](u64 pair, std::uint8_t change) {
            if (column[pair] < 0) return;
            add_sum(std::size_t(column[pair]));
            marks[std::size_t(column[pair])] ^= change;
        },
        [&](std::size_t i) {
            if (batch[i] != at) {
                for (std::size_t c = 0; c < columns; ++c) add_sum(c);
                at = batch[i];
            }
            now += value[i];
        });
}

}  // namespace czz
