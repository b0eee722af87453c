// The distinct classes of drawn DAGs, in the order in which they occur.
#pragma once
#include "base/index_table.hpp"
#include "exact/dag_draws.hpp"
#include "exact/labelled_dag.hpp"

namespace czz {

constexpr int kMostNodesOfDraws = 18;

struct DrawnClasses {
    std::vector<std::uint8_t> marks;  // of all pairs, class by class
    std::vector<u64> names;           // two words of the hash of each class
    std::vector<u32> of_draw;         // the class of each draw

    DrawnClasses(int n, const DagDraws& draws) {
        const std::size_t count = draws.parents.size() / std::size_t(n), pairs = pair_index(0, n);
        IndexTable index(2 * count);
        std::vector<std::uint8_t> own(pairs);
        std::vector<int> order(static_cast<std::size_t>(n));
        LabelledDag<kMostNodesOfDraws> dag;
        for (std::size_t i = 0; i < count; ++i) {
            const u32* parents = draws.parents.data() + i * std::size_t(n);
            const std::uint8_t* above = draws.above.data() + i * std::size_t(n);
            std::iota(order.begin(), order.end(), 0);
            std::sort(order.begin(), order.end(), [&](int a, int b) { return above[a] < above[b]; });
            std::fill(own.begin(), own.end(), std::uint8_t(kNone));
            ClassHash hash;
            for (int v : order) {
                dag.add(v, parents[v], above[v]);
                dag.each_mark(v, [&](u64 pair, Mark mark) {
                    own[pair] = mark;
                    hash.toggle(pair, mark);
                });
            }
            const u32 next = u32(names.size() / 2);
            of_draw.push_back(index.find_or_insert(hash.lo, next, [&](u32 k) {
                return names[2 * std::size_t(k)] == hash.lo && names[2 * std::size_t(k) + 1] == hash.hi;
            }));
            if (of_draw.back() < next) continue;
            names.insert(names.end(), {hash.lo, hash.hi});
            marks.insert(marks.end(), own.begin(), own.end());
        }
    }
};

}  // namespace czz
