// Proposals of excursions within regions, on lists of nodes.
#include "sampler/excursions/region_excursions.hpp"
#include "sampler/chain_status.hpp"
#include <algorithm>

namespace czz {

namespace {

constexpr std::size_t kMostRegionTables = 1 << 13;  // the cache is emptied when full

bool contains(const std::vector<int>& list, int v) { return std::find(list.begin(), list.end(), v) != list.end(); }

}  // namespace

RegionExcursions::RegionExcursions(ExcursionSettings settings, EdgePrior prior, int max_degree, bool knowledge)
    : ExcursionMove(settings, std::move(prior), max_degree, knowledge, *settings.regions->score,
                    settings.regions->slope),
      regions_(*settings_.regions), place_(std::size_t(n_), -1), seen_(std::size_t(n_)) {}

bool RegionExcursions::barred(int v, int parent) const {
    auto among = [&](const Lists& lists) { return !lists.empty() && contains(lists[std::size_t(v)], parent); };
    return among(regions_.barred) || among(regions_.required);
}

// The nodes of the region from which a path of arrows that stay leads to a node.
u32 RegionExcursions::above(const Part& part, Rng& rng) {
    u32 found = 0;
    path_ = part.fixed;
    for (std::size_t at = 0; at < path_.size(); ++at) {
        const int v = path_[at];
        if (place_[std::size_t(v)] >= 0) {
            found |= u32(1) << place_[std::size_t(v)];
            continue;
        }
        for (int u : parents_in_member(v, rng))
            if (!seen_[std::size_t(u)]) {
                seen_[std::size_t(u)] = 1;
                path_.push_back(u);
            }
    }
    for (int v : path_) seen_[std::size_t(v)] = 0;
    return found;
}

void RegionExcursions::divide_parents(int i, Rng& rng) {
    const int v = (*nodes_)[std::size_t(i)], k = int(nodes_->size());
    Part& part = parts_[std::size_t(i)];
    part.choices.clear();
    for (int j = 0; j < k; ++j)
        if (j != i && !barred(v, (*nodes_)[std::size_t(j)])) part.choices.push_back(j);
    part.parents = 0;
    part.fixed.clear();
    for (int u : before_[std::size_t(i)]) {
        const int j = place_[std::size_t(u)];
        if (j >= 0 && contains(part.choices, j)) part.parents |= u32(1) << j;
        else part.fixed.push_back(u);
    }
    std::sort(part.fixed.begin(), part.fixed.end());
    part.earlier = above(part, rng);
    std::shared_ptr<ParentTable>& table = tables_[{region_, i, part.fixed}];
    if (!table) {
        std::vector<int> candidates;
        for (int j : part.choices) candidates.push_back((*nodes_)[std::size_t(j)]);
        table = std::make_shared<ParentTable>(*regions_.score, *kernel_, v, part.fixed, candidates, max_degree_);
        table->weigh(regions_.coldness, regions_.slope);
    }
    part.table = table;
    part.log_sum.resize(std::size_t(1) << k);
    for (u32 before = 0; before < part.log_sum.size(); ++before)
        part.log_sum[before] = table->log_sum(part.in_table(before));
}

double RegionExcursions::log_last(int i, u32 set) const {
    const Part& part = parts_[std::size_t(i)];
    const u32 rest = set & ~(u32(1) << i);
    if (rest == set || (part.earlier & ~rest)) return kMinusInf;
    return log_orders_[rest] + part.log_sum[rest];
}

void RegionExcursions::sum_orders() {
    const int k = int(nodes_->size());
    log_orders_.assign(std::size_t(1) << k, kMinusInf);
    log_orders_[0] = 0;
    std::vector<double> log(static_cast<std::size_t>(k));
    for (u32 set = 1; set < log_orders_.size(); ++set) {
        double top = kMinusInf, sum = 0;
        for (int i = 0; i < k; ++i) top = std::max(top, log[std::size_t(i)] = log_last(i, set));
        if (top == kMinusInf) continue;  // no order begins with these
        for (int i = 0; i < k; ++i)
            if (log[std::size_t(i)] > kMinusInf) sum += fast_exp(log[std::size_t(i)] - top);
        log_orders_[set] = top + fast_log(sum);
    }
}

void RegionExcursions::enter(int region, ClassLists dag) {
    given_ = std::move(dag);
    begin_member(given_);
    Rng none{{}};
    enter(region, none);
}

void RegionExcursions::enter(int region, Rng& rng) {
    region_ = region;
    nodes_ = &regions_.nodes[std::size_t(region)];
    const int k = int(nodes_->size());
    before_.resize(std::size_t(k));
    for (int i = 0; i < k; ++i) before_[std::size_t(i)] = parents_in_member((*nodes_)[std::size_t(i)], rng);
    if (tables_.size() + std::size_t(k) > kMostRegionTables) tables_.clear();
    for (int i = 0; i < k; ++i) place_[std::size_t((*nodes_)[std::size_t(i)])] = i;
    parts_.resize(std::size_t(k));
    for (int i = 0; i < k; ++i) divide_parents(i, rng);
    for (int v : *nodes_) place_[std::size_t(v)] = -1;
    sum_orders();
}

double RegionExcursions::log_order_probability(const std::vector<int>& order) const {
    u32 before = 0;
    double log = 0;
    for (int i : order) {
        const u32 set = before | u32(1) << i;
        const double last = log_last(i, set);
        if (last == kMinusInf) return kMinusInf;
        log += last - log_orders_[set];
        before = set;
    }
    return log;
}

double RegionExcursions::log_parents_probability(int i, u32 before, u32 parents) const {
    const Part& part = parts_[std::size_t(i)];
    return part.table->log_weight(part.in_table(parents)) - part.log_sum[before];
}

// By the number of orders of each subset that can come first.
double RegionExcursions::log_extensions(const Lists& parents) const {
    const int k = int(nodes_->size());
    std::vector<u32> earlier;
    for (int i = 0; i < k; ++i) {
        u32 mask = parts_[std::size_t(i)].earlier;
        for (int j : parts_[std::size_t(i)].choices)
            if (contains(parents[std::size_t(i)], (*nodes_)[std::size_t(j)])) mask |= u32(1) << j;
        earlier.push_back(mask);
    }
    std::vector<double> orders(std::size_t(1) << k);
    orders[0] = 1;
    for (u32 set = 1; set < orders.size(); ++set)
        for (u32 left = set; left; left &= left - 1) {
            const u32 rest = set & ~(left & -left);
            if (!(earlier[std::size_t(std::countr_zero(left))] & ~rest)) orders[set] += orders[rest];
        }
    return fast_log(orders.back());
}

void RegionExcursions::draw_parents(Rng& rng) {
    after_ = before_;
    difference_ = 0;
    same_ = true;
    for (u32 set = u32(log_orders_.size()) - 1; set;) {  // from the last place of the order on
        double left = rng.uniform();
        int last = -1;
        for (u32 rest = set; rest; rest &= rest - 1) {
            const int i = std::countr_zero(rest);
            const double log = log_last(i, set);
            if (log == kMinusInf) continue;
            last = i;
            if ((left -= fast_exp(log - log_orders_[set])) < 0) break;
        }
        set &= ~(u32(1) << last);
        const Part& part = parts_[std::size_t(last)];
        const u32 drawn = part.table->draw(part.in_table(set), rng), own = part.in_table(part.parents);
        if (drawn == own) continue;
        same_ = false;
        difference_ += part.table->score(drawn) - part.table->score(own);
        std::vector<int>& list = after_[std::size_t(last)] = part.fixed;
        for (u32 rest = drawn; rest; rest &= rest - 1)
            list.push_back((*nodes_)[std::size_t(part.choices[std::size_t(std::countr_zero(rest))])]);
    }
}

std::optional<double> RegionExcursions::make(ChainView& chain, Rng& rng) {
    ++counts.made;
    try {
        return draw(chain, rng);
    } catch (const Uncounted&) {  // in step 2
        for (int v : path_) seen_[std::size_t(v)] = 0;
        for (int v : *nodes_) place_[std::size_t(v)] = -1;
        return {};
    }
}

std::optional<double> RegionExcursions::draw(ChainView& chain, Rng& rng) {
    begin_member(chain.here());
    const auto& upto = regions_.cumulative;
    const double u = rng.uniform() * upto.back();
    enter(int(std::min(std::upper_bound(upto.begin(), upto.end(), u), upto.end() - 1) - upto.begin()), rng);
    draw_parents(rng);
    counts.window_nodes += nodes_->size();
    for (const Part& part : parts_) counts.fixed += !part.fixed.empty();
    if (same_) {
        ++counts.accepted;
        return {};
    }
    const int edges = chain.edges();
    double log_ratio = log_extensions(before_) - log_extensions(after_);
    const auto& changed = chain.go(*nodes_, before_, after_);
    bool accepted = false;
    try {
        log_ratio += log_size_at(chain.here(), changed);
        log_ratio -= log_size_at(chain.relist(), changed);
        log_ratio += log_prior_ratio(edges, chain.edges());
        for (int v : *nodes_)
            if (chain.degree(v) > max_degree_) log_ratio = kMinusInf;
        accepted = rng.uniform() < fast_exp(std::min(0.0, log_ratio));
    } catch (const Uncounted&) {}
    if (accepted) {
        ++counts.accepted;
        counts.changed += !changed.empty();
        return difference_;
    }
    chain.go(*nodes_, after_, before_);
    chain.relist();
    return {};
}

// Two DAGs with the same skeleton are in one class if they have the same v-structures.
bool RegionExcursions::is_far(Rng& rng) {
    auto parents = [&](const Lists& of, int v) -> const std::vector<int>& {
        const auto at = std::find(nodes_->begin(), nodes_->end(), v);
        return at == nodes_->end() ? parents_in_member(v, rng) : of[std::size_t(at - nodes_->begin())];
    };
    auto joined = [&](const Lists& of, int a, int b) {
        return contains(parents(of, a), b) || contains(parents(of, b), a);
    };
    int pairs = 0;
    for (int a : *nodes_)
        for (int b : *nodes_) pairs += a < b && joined(before_, a, b) != joined(after_, a, b);
    if (pairs > 0) return pairs > 1;
    auto lacks_some = [&](const Lists& one, const Lists& other) {
        for (std::size_t i = 0; i < one.size(); ++i)
            for (int a : one[i])
                for (int b : one[i])
                    if (a < b && !joined(one, a, b) && !(contains(other[i], a) && contains(other[i], b))) return true;
        return false;
    };
    return lacks_some(before_, after_) || lacks_some(after_, before_);
}

std::vector<double> RegionExcursions::far_shares(const Lists& parents, int draws, Rng& rng, double seconds) {
    const Clock::time_point end = time_in(seconds);
    given_ = {parents, Lists(parents.size())};
    begin_member(given_);
    std::vector<double> shares;
    for (std::size_t r = 0; r < regions_.nodes.size() && Clock::now() < end; ++r) {
        enter(int(r), rng);
        int far = 0;
        for (int i = 0; i < draws; ++i) {
            draw_parents(rng);
            far += !same_ && is_far(rng);
        }
        shares.push_back(double(far) / draws);
    }
    shares.resize(regions_.nodes.size());
    return shares;
}

}  // namespace czz
