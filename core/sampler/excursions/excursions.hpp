// Order excursions: a move that leaves a class for an order of its nodes, walks among orders, and returns to a class.
//
// From the class γ with target π(γ) = w(γ) · (prior of the number of edges, as far as it is not a factor per edge):
//
//   1. G, a uniform member of γ;
//   2. ≺, a topological order of G: at every place one of the nodes that may come next, all equally likely;
//      q(≺ | G) is the product of one over their numbers;
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
// Fixed parents: where a node has parents outside its candidates, those stay, and only its first few candidates take
// part, so that its table is small. A node with more parents than the tables have weights for keeps all of them. Which
// parents are fixed is the same for G and G′, so it partitions the DAGs into sets that the move never leaves.
//
// With knowledge γ stands for its members that agree: they alone are drawn and counted, arrows that are forbidden are
// not candidates, and required ones are always fixed, so G′ agrees. A class whose members cannot be counted
// (members/splitting.hpp) is neither left nor entered, which keeps the move reversible.
#pragma once
#include "members/members.hpp"
#include "sampler/excursions/order_walk.hpp"
#include "sampler/move.hpp"
#include "target/edge_prior.hpp"
#include <map>

namespace czz {

struct ExcursionSettings {
    std::shared_ptr<const OrderTables> tables;
    int steps = 0, window = 0;     // of an excursion
    double log2_rate = kMinusInf;  // excursions per unit of time
    u64 most = ~u64(0);            // a run ends after this number: where a chain rests long, they outnumber jumps
};

struct ExcursionCounts {
    u64 made = 0, accepted = 0, changed = 0;  // accepted and in another class than before
    u64 fixed = 0;                            // nodes of windows that had fixed parents
    u64 window_nodes = 0;

    template <class A>
    void state(A& a) {
        a(made, accepted, changed, fixed, window_nodes);
    }
    friend bool operator==(const ExcursionCounts&, const ExcursionCounts&) = default;
};

class Excursions final : public Move {
  public:
    Excursions(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge);

    const ExcursionSettings& settings() const { return settings_; }
    ExcursionCounts counts;

    double log2_rate() const override { return settings_.log2_rate; }
    std::optional<double> make(Surroundings& chain, Rng& rng) override;
    bool spent() const override { return counts.made >= settings_.most; }
    void forget() override { counts = {}; }
    void state(Saver& a) override { a(counts); }
    void state(Loader& a) override { a(counts); }

    // A walk from hot to cold over all places, which does not leave the target invariant: for each of the powers this
    // number of steps with target R^power. Parents outside the tables are dropped first. Returns nothing if the class
    // that it finds is outside the bounds or its log weight is lower by more than `slack`.
    std::optional<double> anneal(Surroundings& chain, const std::vector<double>& powers, u64 steps, double slack,
                                 Rng& rng);
    // log |γ|; infinity if it cannot be counted.
    double log_size(const ClassLists& of);

    // The pieces of the above, for tests.
    OrderWalk::Part part_of(int v, const std::vector<int>& parents);
    static double log_order_probability(const Lists& parents, const std::vector<int>& order);
    double log_target_ratio(const Lists& before, const Lists& after) const;  // of what the weights leave out of π
    const OrderTables& tables() const { return *settings_.tables; }

  private:
    ExcursionSettings settings_;
    EdgePrior prior_;
    int max_degree_;
    bool knowledge_;
    std::unique_ptr<RowKernel> kernel_;
    OrderWalk walk_;
    struct {
        Lists parents;           // of G′
        std::vector<int> order;  // ≺′, which fits it
        double score_difference = 0;
        double log_ratio = 0;  // of the acceptance, without |γ′|; after anneal(), of the target
    } proposal_;
    Lists member_;
    std::map<ClassHash, std::unique_ptr<Orientations>, bool (*)(const ClassHash&, const ClassHash&)> orientations_;
    std::map<std::pair<int, std::vector<int>>, std::shared_ptr<ParentTable>> small_tables_;

    Orientations* orientations_of(const Component& c);
    std::vector<Component> components_of(const ClassLists& of) const;
    void propose(const ClassLists& from, Rng& rng);  // steps 1 to 4
    // Into member_; returns log |γ|, or minus infinity if it cannot be counted.
    double draw_member(const ClassLists& of, Rng& rng);
    static double draw_order(const Lists& parents, std::vector<int>& order, Rng& rng);
    double drop_fixed_parents();  // of member_; returns the difference of the score
    void begin_walk(std::vector<int> order, int first, int last);
    void draw_parents(int first, int last, Rng& rng);
    std::shared_ptr<const ParentTable> small_table(int v, const std::vector<int>& fixed, bool movable);
};

}  // namespace czz
