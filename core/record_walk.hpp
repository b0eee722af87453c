// A walk through the listed classes of a chain that passes from one to the next by the few pairs that differ.
//
// Record i differs from record from[i], an earlier one, or from the graph without edges where that is negative, by the
// deltas begin[i] .. begin[i + 1] - 1, each a pair << 2 | (mark there ^ mark here).
#pragma once
#include "cpdag.hpp"
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
    b -= pair_index(0, b) > pair;  // where the root was rounded up
    return {int(pair - pair_index(0, b)), b};
}

// Calls toggle(pair, marks) for each delta on the way, and visit(i) once at each record.
template <class Toggle, class Visit>
void walk_records(const Records& r, Toggle&& toggle, Visit&& visit) {
    std::vector<u32> child(r.count + 1), sibling(r.count + 1);  // records are shifted by one; 0 is none, or the root
    for (std::size_t i = r.count; i-- > 0;) {
        u32& first = child[r.from[i] < 0 ? 0 : std::size_t(r.from[i]) + 1];
        sibling[i + 1] = first;
        first = u32(i) + 1;
    }
    auto pass = [&](u32 i) {  // the deltas that lead into a record lead out of it as well
        for (u64 k = r.begin[i - 1]; k < r.begin[i]; ++k) toggle(u64(r.deltas[k] >> 2), std::uint8_t(r.deltas[k] & 3));
    };
    std::vector<u32> path;
    for (u32 i = child[0]; i;) {
        pass(i);
        visit(std::size_t(i) - 1);
        path.push_back(i);
        i = child[i];
        while (!i && !path.empty()) {
            pass(path.back());
            i = sibling[path.back()];
            path.pop_back();
        }
    }
}

// The sums over all records of value[i] · [a -> b] and of value[i] · [a - b], n by n, the latter for a < b only. Sums
// of a pair are booked where its mark changes.
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

}  // namespace czz
