// A walk among the orders of the nodes.
//
// The state is an order ≺; its weight R(≺) = Π_v Z_v(pred(v)) is the total weight of all DAGs that fit ≺ and keep the
// fixed parents of every node. A step takes a random node of a window of places out of the order and puts it back at a
// place drawn in proportion to the weights of the resulting orders. Each such step is a projection that is self-adjoint
// for R (random-scan Gibbs), so any number of steps is reversible for R.
#pragma once
#include "sampler/excursions/order_tables.hpp"

namespace czz {

class OrderWalk {
  public:
    // How the parents of one node take part: those in the table may change, the fixed ones stay.
    struct Part {
        std::shared_ptr<const ParentTable> table;
        u32 parents;             // within the table
        std::vector<int> fixed;  // must come before the node
    };

    std::vector<int> order;
    std::vector<Part> parts;  // of the nodes of the window
    std::vector<u32> before;  // of each node of the window: the candidates of its table that come before it

    explicit OrderWalk(std::shared_ptr<const OrderTables> tables)
        : parts(std::size_t(tables->n)), before(parts.size()), tables_(std::move(tables)), place_(parts.size()) {}

    // Begin at an order that fits the parts, which the nodes at the places first .. last - 1 have.
    void begin(std::vector<int> start, int first, int last);
    // One step within the window, with target R^power.
    void step(double power, Rng& rng);
    // Log weights of the orders in which the node at `at` is moved to each place of the window, relative to one of
    // them; minus infinity where a fixed parent would come after its child.
    const std::vector<double>& place_weights(int at);

  private:
    std::shared_ptr<const OrderTables> tables_;
    int first_ = 0, last_ = 0;
    bool any_fixed_ = false;
    std::vector<double> log_weight_, weight_;
    std::vector<int> others_, place_;

    u32 bit(int v, int u) const {  // of u in the masks of v, 0 where it is no candidate
        const int i = tables_->place(v, u);
        return i >= 0 && i < parts[std::size_t(v)].table->size() ? u32(1) << i : 0;
    }
};

}  // namespace czz
