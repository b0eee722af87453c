// Every class of up to 6 nodes, with its size and its weight under a table of local scores.
//
// Every DAG is generated once, layer by layer: nodes of the first layer have no parents, nodes of a later layer have a
// parent in the layer before. A node is added after its parents, and does not change the labels of the edges above it,
// so one labelling step per node extends the CPDAG. The number of DAGs with the same CPDAG is the size of the class.
// Six nodes have 3,781,503 DAGs in 1,067,825 classes. With knowledge, only the DAGs that agree with it are generated.
#pragma once
#include "base/index_table.hpp"
#include "exact/labelled_dag.hpp"
#include "exact/local_table.hpp"
#include "graph/arrows.hpp"
#include <cmath>

namespace czz {

constexpr int kMostNodesOfAllClasses = 6;

struct ClassOfAll {
    u32 code;                   // two bits per pair: Mark << 2 · pair_index
    u32 oriented;               // the same of the edges that its DAGs here have; a line if they differ
    std::uint16_t edges, size;  // size: member DAGs, at most 6!
    double reference, sum;      // Σ exp(score of member) = sum · exp(reference)
    double log_mean() const { return reference + std::log(sum / size); }
};

class AllClasses {
    static constexpr int kN = kMostNodesOfAllClasses;
    static constexpr std::size_t kCounts[kN + 1] = {1, 1, 2, 11, 185, 8782, 1067825};  // OEIS A007984

    int n_;
    const double* table_;
    std::vector<ClassOfAll> classes_;
    IndexTable index_;  // of the classes, by code
    LabelledDag<kN> dag_;
    u32 barred_[kN] = {}, needed_[kN] = {};  // forbidden and required parents

    // The edges of the DAG; a line has the bits of both arrows, so the union over the DAGs of a class is its graph.
    u32 arrows() const {
        u32 code = 0;
        for (int v = 0; v < n_; ++v)
            for (u32 m = dag_.parents[v]; m; m &= m - 1) {
                const int u = std::countr_zero(m);
                code |= u32(u < v ? kForward : kBackward) << 2 * pair_index(std::min(u, v), std::max(u, v));
            }
        return code;
    }

    // Adds one DAG of the class.
    void count(u32 code, double score) {
        const u32 next = u32(classes_.size());
        const u32 found = index_.find_or_insert(mix64(code), next, [&](u32 i) { return classes_[i].code == code; });
        if (found == next) {
            const int edges = std::popcount((code | code >> 1) & 0x55555555u);
            classes_.push_back({code, 0, std::uint16_t(edges), 0, -std::numeric_limits<double>::infinity(), 0});
        }
        ClassOfAll& c = classes_[found];
        ++c.size;
        c.oriented |= arrows();
        if (score > c.reference) {
            c.sum = c.sum * std::exp(c.reference - score) + 1;
            c.reference = score;
        } else if (score > -std::numeric_limits<double>::infinity()) {
            c.sum += std::exp(score - c.reference);
        }
    }

    // Chooses the next layer below the nodes `placed`, of which `previous` is the last layer.
    void next_layer(u32 placed, u32 previous, u32 code, double score) {
        const u32 rest = ((1u << n_) - 1) & ~placed;
        if (!rest) return count(code, score);
        for (u32 layer = rest; layer; layer = (layer - 1) & rest)
            next_node(layer, layer, placed, previous, code, score);
    }
    // Chooses the parents of the first node of `todo`.
    void next_node(u32 todo, u32 layer, u32 placed, u32 previous, u32 code, double score) {
        if (!todo) return next_layer(placed | layer, layer, code, score);
        const int v = std::countr_zero(todo);
        const int place = std::popcount(placed);  // nodes of one layer are not adjacent
        for (u32 P = placed;; P = (P - 1) & placed) {
            if ((P & previous || !placed) && !(P & barred_[v]) && !(needed_[v] & ~P)) {
                dag_.add(v, P, place);
                u32 marks = 0;
                dag_.each_mark(v, [&](u64 pair, Mark mark) { marks |= u32(mark) << 2 * pair; });
                const double local = table_ ? table_[(u32(v) << (n_ - 1)) + squeeze(P, v)] : 0;
                next_node(todo & (todo - 1), layer, placed, previous, code | marks, score + local);
            }
            if (!P) break;
        }
    }

  public:
    // Without a table all DAGs have score 0.
    AllClasses(int n, const double* table, const ArrowKnowledge* known)
        : n_(n), table_(table), index_(kCounts[n] * 3 / 2) {
        for (int x = 0; known && x < n; ++x)
            for (int y = 0; y < n; ++y) {
                barred_[y] |= u32(known->is_barred(x, y)) << x;
                needed_[y] |= u32(known->is_required(x, y)) << x;
            }
        classes_.reserve(kCounts[n]);
        next_layer(0, 0, 0, 0);
        std::sort(classes_.begin(), classes_.end(), [](const ClassOfAll& a, const ClassOfAll& b) {
            return a.edges != b.edges ? a.edges < b.edges : a.code < b.code;
        });
    }
    const std::vector<ClassOfAll>& list() const { return classes_; }  // by number of edges, then by code
};

}  // namespace czz
