// OrderTables: for every node its candidate parents and their ParentTable, shared by all chains of a run.
#pragma once
#include "sampler/excursions/parent_table.hpp"
#include <memory>

namespace czz {

struct OrderTables {
    std::shared_ptr<const Score> score;
    int n, most;                               // the number of nodes; the largest number of parents with weight
    double coldness, slope;                    // weights are exp(coldness · score + slope · edges)
    std::vector<std::vector<int>> candidates;  // of each node, the most useful first
    std::vector<std::vector<int>> required;    // parents of each node, ascending, that it always has
    std::vector<signed char> index;            // [v · n + u]: the place of u among the candidates of v, or -1
    std::vector<ParentTable> tables;

    OrderTables(std::shared_ptr<const Score> s, std::vector<std::vector<int>> candidate_lists, int most_parents,
                double c, double edge_weight, std::vector<std::vector<int>> required_parents)
        : score(std::move(s)), n(score->n()), most(most_parents), coldness(c), slope(edge_weight),
          candidates(std::move(candidate_lists)), required(std::move(required_parents)),
          index(std::size_t(n) * std::size_t(n), -1) {
        required.resize(std::size_t(n));
        const auto kernel = score->kernel();
        tables.reserve(std::size_t(n));
        for (int v = 0; v < n; ++v) {
            const std::vector<int>& list = candidates[std::size_t(v)];
            for (std::size_t i = 0; i < list.size(); ++i)
                index[std::size_t(v) * std::size_t(n) + std::size_t(list[i])] = (signed char)(i);
            tables.emplace_back(*score, *kernel, v, required[std::size_t(v)], list, most);
            tables.back().weigh(coldness, slope);
        }
    }

    int place(int v, int u) const { return index[std::size_t(v) * std::size_t(n) + std::size_t(u)]; }
};

}  // namespace czz
