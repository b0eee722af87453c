// Proposals of order excursions, on lists of nodes.
#include "sampler/excursions/excursions.hpp"
#include <algorithm>

namespace czz {

namespace {

constexpr int kFewCandidates = 8;             // of a node with parents outside its candidates
constexpr std::size_t kMostTables = 1 << 12;  // the cache is emptied when full

// The number of descendants of each node, itself included.
std::vector<double> descendant_counts(const Lists& parents, const std::vector<int>& order) {
    const std::size_t n = parents.size(), words = (n + 63) / 64;
    std::vector<u64> below(n * words);
    std::vector<double> count(n);
    for (std::size_t at = n; at-- > 0;) {
        const std::size_t v = std::size_t(order[at]);
        u64* own = &below[v * words];
        own[v / 64] |= u64(1) << (v % 64);
        for (std::size_t w = 0; w < words; ++w) count[v] += std::popcount(own[w]);
        for (int u : parents[v])
            for (std::size_t w = 0; w < words; ++w) below[std::size_t(u) * words + w] |= own[w];
    }
    return count;
}

// Takes nodes whose parents have all been taken; `choose` picks the place of the next one among those, given the sum of
// their weights. Returns the log probability of its choices if each is made in proportion to the weights.
template <class Choose>
double take_in_order(const Lists& parents, const std::vector<double>& weight, Choose&& choose) {
    const std::size_t n = parents.size();
    Lists children(n);
    std::vector<std::size_t> missing(n);
    std::vector<int> ready;
    double total = 0, log_q = 0;
    auto add = [&](int v) {
        ready.push_back(v);
        total += weight[std::size_t(v)];
    };
    for (std::size_t v = 0; v < n; ++v) {
        missing[v] = parents[v].size();
        for (int u : parents[v]) children[std::size_t(u)].push_back(int(v));
        if (missing[v] == 0) add(int(v));
    }
    for (std::size_t taken = 0; taken < n; ++taken) {
        const std::size_t at = choose(ready, taken, total);
        const int v = ready[at];
        log_q += fast_log(weight[std::size_t(v)] / total);
        total -= weight[std::size_t(v)];
        ready[at] = ready.back();
        ready.pop_back();
        for (int c : children[std::size_t(v)])
            if (--missing[std::size_t(c)] == 0) add(c);
    }
    return log_q;
}

}  // namespace

Excursions::Excursions(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge)
    : ExcursionMove(settings, std::move(prior), max_degree, knowledge, *settings.tables->score, settings.tables->slope),
      walk_(settings_.tables) {}

double Excursions::log_order_probability(const Lists& parents, const std::vector<int>& order) {
    const std::vector<double> weight = descendant_counts(parents, order);
    return take_in_order(parents, weight, [&](const std::vector<int>& ready, std::size_t taken, double) {
        return std::size_t(std::find(ready.begin(), ready.end(), order[taken]) - ready.begin());
    });
}

double Excursions::draw_order(const Lists& parents, std::vector<int>& order, Rng& rng) {
    const std::vector<double> weight = descendant_counts(parents, topological_order(parents));
    order.clear();
    return take_in_order(parents, weight, [&](const std::vector<int>& ready, std::size_t, double total) {
        double left = rng.uniform() * total;
        std::size_t at = 0;
        while (at + 1 < ready.size() && (left -= weight[std::size_t(ready[at])]) >= 0) ++at;
        order.push_back(ready[at]);
        return at;
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

std::optional<double> Excursions::make(ChainView& chain, Rng& rng) {
    propose(chain.here(), rng);
    if (proposal_.log_ratio == kMinusInf) return {};
    if (!accept(chain, proposal_.parents, proposal_.order, proposal_.log_ratio, rng)) return {};
    return proposal_.score_difference;
}

std::optional<double> Excursions::anneal(ChainView& chain, const std::vector<double>& powers, u64 steps, double slack,
                                         Rng& rng) {
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
