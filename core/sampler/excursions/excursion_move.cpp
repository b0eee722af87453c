// Members and sizes of classes, for excursions.
#include "sampler/excursions/excursion_move.hpp"
#include <algorithm>

namespace czz {

namespace {

constexpr std::size_t kMostOrientations = 1 << 14;  // the cache is emptied when full

}  // namespace

ExcursionMove::ExcursionMove(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge,
                             const Score& score, double slope)
    : settings_(std::move(settings)), prior_(std::move(prior)), n_(score.n()), max_degree_(max_degree),
      kernel_(score.kernel()), knowledge_(knowledge), slope_(slope),
      orientations_([](const ClassHash& a, const ClassHash& b) { return a.lo != b.lo ? a.lo < b.lo : a.hi < b.hi; }) {}

// Null for a bucket that has too many splits.
Orientations* ExcursionMove::orientations_of(const Component& c) {
    const ClassHash name = c.name();
    const auto found = orientations_.find(name);
    if (found != orientations_.end()) return found->second.get();
    if (orientations_.size() >= kMostOrientations) orientations_.clear();
    std::unique_ptr<Orientations> made;
    try {
        made = orientations(c);
    } catch (const TooManySplits&) {}
    return orientations_.emplace(name, std::move(made)).first->second.get();
}

// Without knowledge no arrow joins nodes of a component.
std::vector<Component> ExcursionMove::components_of(const ClassLists& of) const {
    if (!knowledge_) return components(of.lines);
    return components(of.lines, [&](auto&& add) {
        for (std::size_t v = 0; v < of.arrows.size(); ++v)
            for (int u : of.arrows[v]) add(u, int(v));
    });
}

Orientations& ExcursionMove::counted(const Component& c) {
    Orientations* const all = orientations_of(c);
    if (!all) throw Uncounted{};
    return *all;
}

Component ExcursionMove::component_of(const ClassLists& of, int v) {
    Component c = component_at(v, of.lines, number_);
    if (knowledge_)
        for (int y : c.nodes)
            for (int x : of.arrows[std::size_t(y)])
                if (number_[std::size_t(x)] >= 0)
                    c.arrows.emplace_back(number_[std::size_t(x)], number_[std::size_t(y)]);
    for (int u : c.nodes) number_[std::size_t(u)] = -1;
    return c;
}

double ExcursionMove::log_size(const ClassLists& of) {
    double log_size = 0;
    for (const Component& c : components_of(of)) {
        const Orientations* all = orientations_of(c);
        log_size += all ? all->count().log() : -kMinusInf;
    }
    return log_size;
}

void ExcursionMove::orient(const Component& c, Orientations& all, Rng& rng) {
    const std::vector<int> order = all.draw(rng);
    std::vector<int> place(order.size());
    for (std::size_t at = 0; at < order.size(); ++at) place[std::size_t(order[at])] = int(at);
    for (auto [a, b] : c.lines) {
        const bool forward = place[std::size_t(a)] < place[std::size_t(b)];
        const int x = c.nodes[std::size_t(forward ? a : b)], y = c.nodes[std::size_t(forward ? b : a)];
        member_[std::size_t(y)].push_back(x);
    }
}

double ExcursionMove::draw_member(const ClassLists& of, Rng& rng) {
    member_ = of.arrows;
    double log_size = 0;
    for (const Component& c : components_of(of)) {
        Orientations* all = orientations_of(c);
        if (!all) return kMinusInf;
        log_size += all->count().log();
        orient(c, *all, rng);
    }
    return log_size;
}

void ExcursionMove::begin_member(const ClassLists& of) {
    member_of_ = &of;
    member_.resize(of.arrows.size());
    is_drawn_.resize(of.arrows.size());
    number_.resize(of.arrows.size(), -1);
    for (int v : drawn_) is_drawn_[std::size_t(v)] = 0;
    drawn_.clear();
}

const std::vector<int>& ExcursionMove::parents_in_member(int v, Rng& rng) {
    const ClassLists& of = *member_of_;
    if (of.lines[std::size_t(v)].empty()) return of.arrows[std::size_t(v)];
    if (!is_drawn_[std::size_t(v)]) {
        const Component c = component_of(of, v);
        for (int u : c.nodes) {
            member_[std::size_t(u)] = of.arrows[std::size_t(u)];
            is_drawn_[std::size_t(u)] = 1;
            drawn_.push_back(u);
        }
        orient(c, counted(c), rng);
    }
    return member_[std::size_t(v)];
}

double ExcursionMove::log_size_at(const ClassLists& of, const std::vector<int>& nodes) {
    double log_size = 0;
    std::vector<int> seen;
    for (int v : nodes) {
        if (of.lines[std::size_t(v)].empty() || std::find(seen.begin(), seen.end(), v) != seen.end()) continue;
        const Component c = component_of(of, v);
        seen.insert(seen.end(), c.nodes.begin(), c.nodes.end());
        log_size += counted(c).count().log();
    }
    return log_size;
}

double ExcursionMove::log_target_ratio(const Lists& before, const Lists& after) const {
    const int m = edge_count(before), now = edge_count(after);
    if (max_degree_ < n_) {
        std::vector<int> degree(after.size());
        for (std::size_t v = 0; v < after.size(); ++v) {
            degree[v] += int(after[v].size());
            for (int u : after[v]) ++degree[std::size_t(u)];
        }
        if (*std::max_element(degree.begin(), degree.end()) > max_degree_) return kMinusInf;
    }
    return log_prior_ratio(m, now);
}

bool ExcursionMove::accept(ChainView& chain, const Lists& parents, const std::vector<int>& order, double log_ratio,
                           Rng& rng) {
    const ClassLists& there = chain.there(parents, order);
    if (!(rng.uniform() < fast_exp(std::min(0.0, log_ratio - log_size(there))))) return false;
    ++counts.accepted;
    counts.changed += !(there == chain.here());
    return true;
}

std::vector<int> topological_order(const Lists& parents) {
    const std::size_t n = parents.size();
    Lists children(n);
    std::vector<std::size_t> missing(n);
    std::vector<int> order;
    for (std::size_t v = 0; v < n; ++v) {
        missing[v] = parents[v].size();
        for (int u : parents[v]) children[std::size_t(u)].push_back(int(v));
        if (missing[v] == 0) order.push_back(int(v));
    }
    for (std::size_t at = 0; at < order.size(); ++at)
        for (int c : children[std::size_t(order[at])])
            if (--missing[std::size_t(c)] == 0) order.push_back(c);
    return order;
}

}  // namespace czz
