// Proposals of order excursions, on lists of nodes.
#include "sampler/excursions/excursions.hpp"
#include <algorithm>

namespace czz {

namespace {

constexpr int kFewCandidates = 8;  // of a node with parents outside its candidates
constexpr std::size_t kMostTables = 1 << 12, kMostOrientations = 1 << 14;  // caches are emptied when full

int edge_count(const Lists& parents) {
    std::size_t edges = 0;
    for (const auto& p : parents) edges += p.size();
    return int(edges);
}

// Takes nodes whose parents have all been taken; `choose` picks the place of the next one among those.
template <class Choose>
double take_in_order(const Lists& parents, Choose&& choose) {
    const std::size_t n = parents.size();
    Lists children(n);
    std::vector<std::size_t> missing(n);
    std::vector<int> ready;
    for (std::size_t v = 0; v < n; ++v) {
        missing[v] = parents[v].size();
        for (int u : parents[v]) children[std::size_t(u)].push_back(int(v));
        if (missing[v] == 0) ready.push_back(int(v));
    }
    double log_q = 0;
    for (std::size_t taken = 0; taken < n; ++taken) {
        log_q -= fast_log(double(ready.size()));
        const std::size_t at = choose(ready, taken);
        const int v = ready[at];
        ready[at] = ready.back();
        ready.pop_back();
        for (int c : children[std::size_t(v)])
            if (--missing[std::size_t(c)] == 0) ready.push_back(c);
    }
    return log_q;
}

}  // namespace

Excursions::Excursions(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge)
    : settings_(std::move(settings)), prior_(std::move(prior)), max_degree_(max_degree), knowledge_(knowledge),
      kernel_(settings_.tables->score->kernel()), walk_(settings_.tables),
      orientations_([](const ClassHash& a, const ClassHash& b) { return a.lo != b.lo ? a.lo < b.lo : a.hi < b.hi; }) {}

// Null for a bucket that has too many splits.
Orientations* Excursions::orientations_of(const Component& c) {
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
std::vector<Component> Excursions::components_of(const ClassLists& of) const {
    if (!knowledge_) return components(of.lines);
    return components(of.lines, [&](auto&& add) {
        for (std::size_t v = 0; v < of.arrows.size(); ++v)
            for (int u : of.arrows[v]) add(u, int(v));
    });
}

double Excursions::log_size(const ClassLists& of) {
    double log_size = 0;
    for (const Component& c : components_of(of)) {
        const Orientations* all = orientations_of(c);
        log_size += all ? all->count().log() : -kMinusInf;
    }
    return log_size;
}

double Excursions::draw_member(const ClassLists& of, Rng& rng) {
    member_ = of.arrows;
    double log_size = 0;
    std::vector<int> place;
    for (const Component& c : components_of(of)) {
        Orientations* all = orientations_of(c);
        if (!all) return kMinusInf;
        log_size += all->count().log();
        const std::vector<int> order = all->draw(rng);
        place.resize(order.size());
        for (std::size_t at = 0; at < order.size(); ++at) place[std::size_t(order[at])] = int(at);
        for (auto [a, b] : c.lines) {
            const bool forward = place[std::size_t(a)] < place[std::size_t(b)];
            const int x = c.nodes[std::size_t(forward ? a : b)], y = c.nodes[std::size_t(forward ? b : a)];
            member_[std::size_t(y)].push_back(x);
        }
    }
    return log_size;
}

double Excursions::draw_order(const Lists& parents, std::vector<int>& order, Rng& rng) {
    order.clear();
    return take_in_order(parents, [&](const std::vector<int>& ready, std::size_t) {
        const std::size_t at = std::size_t(rng.below(int(ready.size())));
        order.push_back(ready[at]);
        return at;
    });
}

double Excursions::log_order_probability(const Lists& parents, const std::vector<int>& order) {
    return take_in_order(parents, [&](const std::vector<int>& ready, std::size_t taken) {
        return std::size_t(std::find(ready.begin(), ready.end(), order[taken]) - ready.begin());
    });
}

std::shared_ptr<const ParentTable> Excursions::small_table(int v, const std::vector<int>& fixed, bool movable) {
    const OrderTables& all = tables();
    std::shared_ptr<ParentTable>& found = small_tables_[{v, fixed}];
    if (!found) {
        std::vector<int> few = all.candidates[std::size_t(v)];
        few.resize(movable ? std::min(few.size(), std::size_t(kFewCandidates)) : 0);
        found = std::make_shared<ParentTable>(*all.score, *kernel_, v, fixed, few, all.most);
        found->weigh(all.coldness, all.slope);
    }
    return found;
}

OrderWalk::Part Excursions::part_of(int v, const std::vector<int>& parents) {
    const OrderTables& all = tables();
    u32 inside = 0;
    std::size_t outside = 0;
    for (int u : parents) {
        const int place = all.place(v, u);
        outside += place < 0;
        if (place >= 0) inside |= u32(1) << place;
    }
    const bool movable = int(parents.size()) <= all.most;
    const std::vector<int>& required = all.required[std::size_t(v)];  // all of them are among the parents
    if (outside == required.size() && movable)
        return {{settings_.tables, &all.tables[std::size_t(v)]}, inside, required};
    const u32 few = movable ? (u32(1) << kFewCandidates) - 1 : 0;
    OrderWalk::Part part{nullptr, inside & few, {}};
    for (int u : parents) {
        const int place = all.place(v, u);
        if (place < 0 || !(few >> place & 1)) part.fixed.push_back(u);
    }
    std::sort(part.fixed.begin(), part.fixed.end());
    part.table = small_table(v, part.fixed, movable);
    return part;
}

void Excursions::begin_walk(std::vector<int> order, int first, int last) {
    if (small_tables_.size() + std::size_t(last - first) > kMostTables) small_tables_.clear();
    for (int i = first; i < last; ++i) {
        const int v = order[std::size_t(i)];
        walk_.parts[std::size_t(v)] = part_of(v, member_[std::size_t(v)]);
    }
    walk_.begin(std::move(order), first, last);
}

double Excursions::drop_fixed_parents() {
    const OrderTables& all = tables();
    double difference = 0;
    for (int v = 0; v < all.n; ++v) {
        std::vector<int>& own = member_[std::size_t(v)];
        std::vector<int> kept = all.required[std::size_t(v)];
        for (int u : own)
            if (all.place(v, u) >= 0 && int(kept.size()) < all.most) kept.push_back(u);
        if (kept.size() == own.size()) continue;
        std::sort(own.begin(), own.end());
        std::sort(kept.begin(), kept.end());
        difference += all.score->local(v, kept) - all.score->local(v, own);
        own = std::move(kept);
    }
    return difference;
}

void Excursions::draw_parents(int first, int last, Rng& rng) {
    const OrderTables& all = tables();
    proposal_.order = walk_.order;
    proposal_.parents = member_;
    proposal_.score_difference = 0;
    for (int i = first; i < last; ++i) {
        const int v = walk_.order[std::size_t(i)];
        const OrderWalk::Part& part = walk_.parts[std::size_t(v)];
        const u32 drawn = part.table->draw(walk_.before[std::size_t(v)], rng);
        ++counts.window_nodes;
        counts.fixed += part.fixed.size() > all.required[std::size_t(v)].size();
        if (drawn == part.parents) continue;
        proposal_.score_difference += part.table->score(drawn) - part.table->score(part.parents);
        std::vector<int>& own = proposal_.parents[std::size_t(v)];
        own = part.fixed;
        for (u32 rest = drawn; rest; rest &= rest - 1)
            own.push_back(all.candidates[std::size_t(v)][std::size_t(std::countr_zero(rest))]);
    }
}

double Excursions::log_target_ratio(const Lists& before, const Lists& after) const {
    const int m = edge_count(before), now = edge_count(after);
    if (max_degree_ < tables().n) {
        std::vector<int> degree(after.size());
        for (std::size_t v = 0; v < after.size(); ++v) {
            degree[v] += int(after[v].size());
            for (int u : after[v]) ++degree[std::size_t(u)];
        }
        if (*std::max_element(degree.begin(), degree.end()) > max_degree_) return kMinusInf;
    }
    return prior_.weight(now) - prior_.weight(m) - tables().slope * (now - m);
}

void Excursions::propose(const ClassLists& from, Rng& rng) {
    const int n = tables().n, window = std::min(settings_.window, n);
    ++counts.made;
    const double log_size = draw_member(from, rng);
    proposal_.log_ratio = kMinusInf;
    if (log_size == kMinusInf) return;
    std::vector<int> order;
    const double log_q = draw_order(member_, order, rng);
    const int first = rng.below(n - window + 1);
    begin_walk(std::move(order), first, first + window);
    for (int i = 0; i < settings_.steps; ++i) walk_.step(1, rng);
    draw_parents(first, first + window, rng);
    proposal_.log_ratio = log_target_ratio(member_, proposal_.parents) + log_size - log_q;
    if (proposal_.log_ratio > kMinusInf)
        proposal_.log_ratio += log_order_probability(proposal_.parents, proposal_.order);
}

std::optional<double> Excursions::make(Surroundings& chain, Rng& rng) {
    propose(chain.here(), rng);
    if (proposal_.log_ratio == kMinusInf) return {};
    const ClassLists& there = chain.there(proposal_.parents, proposal_.order);
    const double log_ratio = proposal_.log_ratio - log_size(there);
    if (!(rng.uniform() < fast_exp(std::min(0.0, log_ratio)))) return {};
    ++counts.accepted;
    counts.changed += !(there == chain.here());
    return proposal_.score_difference;
}

std::optional<double> Excursions::anneal(Surroundings& chain, const std::vector<double>& powers, u64 steps,
                                         double slack, Rng& rng) {
    const int n = tables().n;
    if (draw_member(chain.here(), rng) == kMinusInf) return {};
    std::vector<int> order;
    draw_order(member_, order, rng);
    const int edges = edge_count(member_);
    const double lost = drop_fixed_parents();
    begin_walk(std::move(order), 0, n);
    for (double power : powers)
        for (u64 i = 0; i < steps; ++i) walk_.step(power, rng);
    const ExcursionCounts kept = counts;
    draw_parents(0, n, rng);
    counts = kept;
    if (log_target_ratio(member_, proposal_.parents) == kMinusInf) return {};
    const double difference = proposal_.score_difference + lost;
    const int now = edge_count(proposal_.parents);
    if (!(tables().coldness * difference + prior_.weight(now) - prior_.weight(edges) >= -slack)) return {};
    chain.there(proposal_.parents, proposal_.order);
    return difference;
}

}  // namespace czz
