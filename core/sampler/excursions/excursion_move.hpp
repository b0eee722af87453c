// What the two kinds of excursions share: a uniform member of the present class, the sizes of classes, and counts.
//
// Both draw G, a uniform member of the class γ, move to a DAG G′ by a kernel that is reversible for DAGs with the
// target π(γ) / |γ|, and go to the class of G′. With knowledge γ stands for its members that agree: they alone are
// drawn and counted. A class whose members cannot be counted (members/splitting.hpp) is neither left nor entered, which
// keeps the move reversible. Excursions within regions count only the components that they draw from or that change:
// the way back draws from those that have not changed, and counts the others.
#pragma once
#include "members/members.hpp"
#include "sampler/excursions/order_tables.hpp"
#include "sampler/move.hpp"
#include "target/edge_prior.hpp"
#include <map>

namespace czz {

// Sets of a few nodes, and the weights of parents: exp(coldness · score + slope · edges).
struct Regions {
    std::shared_ptr<const Score> score;
    Lists nodes;  // of each region, all different
    double coldness, slope;
    Lists barred;                    // of each node, the parents that it never has; empty if there are none
    Lists required;                  // and those that it always has
    std::vector<double> cumulative;  // weights of the regions, summed up to each

    void weigh(const std::vector<double>& weights) {
        cumulative.clear();
        for (double w : weights) cumulative.push_back(w + (cumulative.empty() ? 0 : cumulative.back()));
    }
};

struct ExcursionSettings {
    std::shared_ptr<const OrderTables> tables;  // of order excursions
    std::shared_ptr<const Regions> regions;     // of excursions within regions; at most one of the two
    int steps = 0, window = 0;                  // of an order excursion
    double log2_rate = kMinusInf;               // excursions per unit of time
    u64 most = ~u64(0);  // a run ends after this number: where a chain rests long, they outnumber jumps
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

class ExcursionMove : public Move {
  public:
    ExcursionCounts counts;

    ExcursionMove(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge, const Score& score,
                  double slope);

    const ExcursionSettings& settings() const { return settings_; }
    double log2_rate() const override { return settings_.log2_rate; }
    bool spent() const override { return counts.made >= settings_.most; }
    void forget() override { counts = {}; }
    void state(Saver& a) override { a(counts); }
    void state(Loader& a) override { a(counts); }

    // A walk from hot to cold, which does not leave the target invariant, if this kind has one.
    virtual std::optional<double> anneal(ChainView&, const std::vector<double>&, u64, double, Rng&) { return {}; }

    // The pieces, for tests.
    double log_size(const ClassLists& of);  // log |γ|; infinity if it cannot be counted
    double log_target_ratio(const Lists& before, const Lists& after) const;  // of what the weights leave out of π
    double log_prior_ratio(int edges, int now) const {                       // the same, within the bound of degrees
        return prior_.weight(now) - prior_.weight(edges) - slope_ * (now - edges);
    }

  protected:
    ExcursionSettings settings_;
    EdgePrior prior_;
    int n_, max_degree_;
    std::unique_ptr<RowKernel> kernel_;
    Lists member_;

    struct Uncounted {};  // thrown if a component has too many splits

    // Into member_; returns log |γ|, or minus infinity if it cannot be counted.
    double draw_member(const ClassLists& of, Rng& rng);
    // A member that is drawn as far as it is looked at: components are oriented independently of each other, each when
    // the parents of one of its nodes are first asked for.
    void begin_member(const ClassLists& of);
    const std::vector<int>& parents_in_member(int v, Rng& rng);
    // log of the number of orientations of the components that contain some of these nodes.
    double log_size_at(const ClassLists& of, const std::vector<int>& nodes);
    // Goes to the class of G′ with a probability of min(1, exp(log_ratio) / |γ′|); returns whether it does.
    bool accept(ChainView& chain, const Lists& parents, const std::vector<int>& order, double log_ratio, Rng& rng);

  private:
    bool knowledge_;
    double slope_;
    std::map<ClassHash, std::unique_ptr<Orientations>, bool (*)(const ClassHash&, const ClassHash&)> orientations_;

    const ClassLists* member_of_ = nullptr;  // the class of the member that is being drawn
    std::vector<char> is_drawn_;             // whether the component of a node was
    std::vector<int> drawn_, number_;        // nodes whose component was drawn; working space, -1 between calls

    Orientations* orientations_of(const Component& c);
    Orientations& counted(const Component& c);
    std::vector<Component> components_of(const ClassLists& of) const;
    Component component_of(const ClassLists& of, int v);
    void orient(const Component& c, Orientations& all, Rng& rng);  // in member_
};

// All nodes, parents before children.
std::vector<int> topological_order(const Lists& parents);

inline int edge_count(const Lists& parents) {
    std::size_t edges = 0;
    for (const auto& p : parents) edges += p.size();
    return int(edges);
}

}  // namespace czz
