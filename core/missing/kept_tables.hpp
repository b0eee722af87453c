// Some of the completed tables of a run, evenly spaced, each with the class that its cells were drawn with.
#pragma once
#include "graph/graph_interface.hpp"
#include "missing/completed_table.hpp"

namespace czz {

// When there are too many, every second one is dropped and the distance between them doubles, so the length of the run
// need not be known.
class KeptTables {
  public:
    explicit KeptTables(std::size_t most) : most_(most) {}

    // `graph()` is the class; it is called only if the table is kept.
    template <class F>
    void add(u64 sweep, F&& graph, const CompletedTable& table) {
        if (sweep % stride_ != 0 || most_ == 0) return;
        if (marks_.size() == most_) thin();
        if (sweep % stride_ != 0) return;
        marks_.push_back(marks_of(*graph()));
        const std::vector<double> cells = table.cells();
        cells_.insert(cells_.end(), cells.begin(), cells.end());
    }
    std::size_t most() const { return most_; }
    void clear() {
        stride_ = 1;
        marks_.clear();
        cells_.clear();
    }
    // The pairs that are adjacent in each class: number of the pair << 2 | mark.
    const std::vector<std::vector<u32>>& marks() const { return marks_; }
    // The cells of one table after another.
    const std::vector<double>& cells() const { return cells_; }

    template <class A>
    void state(A& a) {
        a.same(most_);
        a(stride_, marks_, cells_);
    }
    // Whether the classes have these nodes, and the tables this number of holes.
    bool fits(std::size_t holes, int nodes) const {
        for (const auto& own : marks_)
            for (u32 mark : own)
                if (mark >> 2 >= pair_index(0, nodes) || (mark & 3) == kNone) return false;
        return stride_ > 0 && marks_.size() <= most_ && cells_.size() == marks_.size() * holes;
    }

  private:
    std::size_t most_;
    u64 stride_ = 1;
    std::vector<std::vector<u32>> marks_;
    std::vector<double> cells_;

    static std::vector<u32> marks_of(const GraphInterface& g) {
        std::vector<u32> out;
        for (const auto& [x, y] : g.directed_edges())
            out.push_back(u32(pair_index(std::min(x, y), std::max(x, y)) << 2 | u64(x < y ? kForward : kBackward)));
        for (const auto& [x, y] : g.undirected_edges())
            out.push_back(u32(pair_index(std::min(x, y), std::max(x, y)) << 2 | u64(kLine)));
        return out;
    }
    // Keeps the tables of sweeps that are multiples of the doubled distance: the second, the fourth and so on.
    void thin() {
        const std::size_t holes = cells_.size() / marks_.size();
        std::size_t kept = 0;
        for (std::size_t i = 1; i < marks_.size(); i += 2, ++kept) {
            marks_[kept] = std::move(marks_[i]);
            std::copy_n(cells_.begin() + std::ptrdiff_t(i * holes), holes,
                        cells_.begin() + std::ptrdiff_t(kept * holes));
        }
        marks_.resize(kept);
        cells_.resize(kept * holes);
        stride_ *= 2;
    }
};

}  // namespace czz
