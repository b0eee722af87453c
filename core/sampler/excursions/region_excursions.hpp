// Excursions within a region: new parents for a few nodes at once, among themselves, for graphs of many nodes.
//
// From the class γ with target π(γ) = w(γ) · (prior of the number of edges, as far as it is not a factor per edge):
//
//   1. G, a uniform member of γ, and a region U, one of a list, with a probability that does not depend on the state;
//   2. what stays: all parents of nodes outside of U, and for nodes of U those outside of U. A path of such arrows from
//      x to y, both in U, which has no other node of U, requires that x comes before y;
//   3. ≺, an order of U that fits these requirements, with probability R(≺) / Σ R, where R(≺) = Π_{v ∈ U} Z_v(pred(v))
//      is the total weight of the parents in U that fit ≺: drawn from its end on, with the sums of R over the orders
//      of each subset (Koivisto & Sood 2004);
//   4. G′: for every node of U parents in U within those before it, in proportion to their weight;
//   5. accept γ′, the class of G′, with probability
//      min(1, e(G) / e(G′) · |γ| / |γ′| · what of π is not in the weights),
//      where e counts the orders of U that fit the requirements and the arrows of a DAG in U.
//
// Of G only the components that step 2 looks at are drawn, and of |γ| / |γ′| only those that change are counted.
//
// Why this leaves π invariant: G′ has no cycle, because ≺ orders the nodes of U along every arrow in U and along every
// path of arrows that stay. What stays is the same for G and G′, and so is Σ R. So G′ is drawn independently of G, in
// proportion to w(G′) e(G′), and the factors above are what the Hastings ratio of DAGs with target π(γ) / |γ| leaves.
//
// With knowledge, forbidden arrows are never drawn and required ones stay, so G′ agrees.
#pragma once
#include "sampler/excursions/excursion_move.hpp"
#include "sampler/excursions/parent_table.hpp"

namespace czz {

class RegionExcursions final : public ExcursionMove {
  public:
    RegionExcursions(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge);

    std::optional<double> make(ChainView& chain, Rng& rng) override;

    // Draws G′ from this DAG in each region, and returns the share of those whose class differs in the adjacency of
    // more than one pair, or in directions alone: jumps lead there only through less likely classes. Regions that are
    // not reached in this number of seconds have 0.
    std::vector<double> far_shares(const Lists& parents, int draws, Rng& rng, double seconds);

    bool walks() const override { return true; }

    // The pieces of the above, for tests. Masks are of the numbers of nodes in the region.
    void enter(int region, ClassLists dag);                             // step 2, and the sums of step 3
    double log_order_probability(const std::vector<int>& order) const;  // of numbers in the region
    double log_parents_probability(int i, u32 before, u32 parents) const;
    double log_extensions(const Lists& parents) const;  // log e, from the parents of the nodes of the region
    const std::vector<int>& nodes() const { return *nodes_; }

  private:
    // How a node of the region takes part.
    struct Part {
        std::vector<int> fixed;    // parents that stay, ascending
        std::vector<int> choices;  // numbers in the region of the parents that it may have
        u32 parents = 0;           // those of the choices that it has
        u32 earlier = 0;           // nodes that must come before it
        std::shared_ptr<const ParentTable> table;
        std::vector<double> log_sum;  // of the weights of parents within each set that comes before it

        u32 in_table(u32 mask) const {
            u32 found = 0;
            for (std::size_t i = 0; i < choices.size(); ++i) found |= (mask >> choices[i] & 1) << i;
            return found;
        }
    };
    const Regions& regions_;
    const std::vector<int>* nodes_ = nullptr;  // of the present region
    int region_ = -1;
    ClassLists given_;       // a DAG, by enter()
    Lists before_, after_;   // the parents of the nodes of the region in G and in G′
    double difference_ = 0;  // of the score of G′ to that of G
    bool same_ = true;       // G′ is G
    std::vector<Part> parts_;
    std::vector<double> log_orders_;  // log Σ R over the orders of each subset that can come first
    std::vector<int> place_;          // number in the region, -1 outside
    std::vector<int> path_;           // working space: ancestors that are still to be visited, and those that were
    std::vector<char> seen_;
    std::map<std::tuple<int, int, std::vector<int>>, std::shared_ptr<ParentTable>> tables_;

    void enter(int region, Rng& rng);  // with G as begin_member() has it
    void divide_parents(int i, Rng& rng);
    u32 above(const Part& part, Rng& rng);
    void sum_orders();
    void draw_parents(Rng& rng);  // steps 3 and 4, after enter()
    bool is_far(Rng& rng);        // whether G′ is counted by far_shares()
    std::optional<double> draw(ChainView& chain, Rng& rng);
    // The log weight of i as the last of a set, relative to that of the set; minus infinity if it cannot be.
    double log_last(int i, u32 set) const;
    bool barred(int v, int parent) const;
};

}  // namespace czz
