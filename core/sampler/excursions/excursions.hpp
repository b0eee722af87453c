// Order excursions: a move that leaves a class for an order of its nodes, walks among orders, and returns to a class.
//
// From the class γ with target π(γ) = w(γ) · (prior of the number of edges, as far as it is not a factor per edge):
//
//   1. G, a uniform member of γ;
//   2. ≺, a topological order of G: at every place one of the nodes that may come next, in proportion to the numbers of
//      their descendants, themselves included; q(≺ | G) is the product of these probabilities;
//   3. steps of OrderWalk within a window of places, drawn uniformly; reversible for R(≺);
//   4. G′: for every node of the window new parents within those before it, in proportion to their weight; the other
//      nodes keep theirs, and so does every node its fixed ones;
//   5. accept γ′, the class of G′, with probability
//      min(1, q(≺′ | G′) / q(≺ | G) · |γ| / |γ′| · what of π is not in the weights).
//
// Why this leaves π invariant: step 3 has K(≺ → ≺′) R(≺) = K(≺′ → ≺) R(≺′), and P(G′ | ≺′) R(≺′) = w(G′) up to the
// weights of what stays, which are the same for G and G′. As DAGs have the target π(γ) / |γ|, all factors of the
// Hastings ratio but those above cancel.
//
// Any q would do. The acceptance is largest if all orders of a DAG have the same probability. By the hook length
// formula the numbers of descendants give exactly that if no node has two parents, and come close to it for other DAGs;
// with equally likely choices, excursions of 22 or 30 nodes were accepted eight times less often.
//
// Fixed parents: where a node has parents outside its candidates, those stay, and only its first few candidates take
// part, so that its table is small. A node with more parents than the tables have weights for keeps all of them. Which
// parents are fixed is the same for G and G′, so it partitions the DAGs into sets that the move never leaves.
//
// With knowledge, arrows that are forbidden are not candidates, and required ones are always fixed, so G′ agrees.
#pragma once
#include "sampler/excursions/excursion_move.hpp"
#include "sampler/excursions/order_walk.hpp"

namespace czz {

class Excursions final : public ExcursionMove {
  public:
    Excursions(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge);

    std::optional<double> make(ChainView& chain, Rng& rng) override;

    // A walk from hot to cold over all places, which does not leave the target invariant: for each of the powers this
    // number of steps with target R^power. Parents outside the tables are dropped first. Returns nothing if the class
    // that it finds is outside the bounds or its log weight is lower by more than `slack`.
    std::optional<double> anneal(ChainView& chain, const std::vector<double>& powers, u64 steps, double slack,
                                 Rng& rng) override;

    // The pieces of the above, for tests.
    OrderWalk::Part part_of(int v, const std::vector<int>& parents);
    static double log_order_probability(const Lists& parents, const std::vector<int>& order);
    const OrderTables& tables() const { return *settings_.tables; }

  private:
    OrderWalk walk_;
    struct {
        Lists parents;           // of G′
        std::vector<int> order;  // ≺′, which fits it
        double score_difference = 0;
        double log_ratio = 0;  // of the acceptance, without |γ′|; after anneal(), of the target
    } proposal_;
    std::map<std::pair<int, std::vector<int>>, std::shared_ptr<ParentTable>> small_tables_;

    void propose(const ClassLists& from, Rng& rng);                                     // steps 1 to 4
    static double draw_order(const Lists& parents, std::vector<int>& order, Rng& rng);  // step 2; returns log q
    double drop_fixed_parents();  // of member_; returns the difference of the score
    void begin_walk(std::vector<int> order, int first, int last);
    void draw_parents(int first, int last, Rng& rng);
    std::shared_ptr<const ParentTable> small_table(int v, const std::vector<int>& fixed, bool movable);
};

}  // namespace czz
