// The operators of one class in a list, without those of the highest rates that knowledge refuses.
//
// Where the data favor classes that disagree, nearly all proposals are refused, by factors beyond the range of floating
// point numbers. Refused operators can be left out, as they lead nowhere: operators are tested by decreasing rate until
// those that agree have at least the rate of those not tested. From then on at least half of all proposals agree.
#pragma once
#include "base/math.hpp"
#include "graph/operators.hpp"
#include "target/units.hpp"
#include <algorithm>

namespace czz {

template <int W>
class ListedOperators {
  public:
    struct Entry {
        Operator<W> op;
        double score_difference, log_rate;
    };
    std::vector<Entry> entries;
    double log_insert = kMinusInf, log_delete = kMinusInf;  // logarithms of the summed rates

    // `each(f)` calls f(operator, score difference, log rate) for all operators; `agrees` tests one.
    template <class Each, class Agrees>
    void find(Each&& each, Agrees&& agrees) {
        entries.clear();
        each([&](const Operator<W>& op, double difference, double log_rate) {
            if (log_rate > kMinusInf) entries.push_back({op, difference, log_rate});
        });
        std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {  // depends on the class alone
            if (a.log_rate != b.log_rate) return a.log_rate > b.log_rate;
            if (a.op.insert != b.op.insert) return a.op.insert;
            if (a.op.y != b.op.y) return a.op.y < b.op.y;
            if (a.op.x != b.op.x) return a.op.x < b.op.x;
            return a.op.K.hash(0) < b.op.K.hash(0);
        });
        std::vector<double> rest(entries.size() + 1, kMinusInf);  // [i]: the log of the summed rates from i on
        for (std::size_t i = entries.size(); i-- > 0;) rest[i] = log_add(entries[i].log_rate, rest[i + 1]);
        double agreed = kMinusInf;
        std::size_t kept = 0, i = 0;
        for (; i < entries.size() && agreed < rest[i]; ++i)
            if (agrees(entries[i].op)) {
                agreed = log_add(agreed, entries[i].log_rate);
                if (kept != i) entries[kept] = std::move(entries[i]);
                ++kept;
            }
        entries.erase(entries.begin() + std::ptrdiff_t(kept), entries.begin() + std::ptrdiff_t(i));
        log_insert = log_delete = kMinusInf;
        for (const Entry& e : entries) {
            double& sum = e.op.insert ? log_insert : log_delete;
            sum = log_add(sum, e.log_rate);
        }
    }
    Rates rates() const {
        const double unit = std::max(log_insert, log_delete);
        if (unit == kMinusInf) return {};
        auto share = [&](double log) { return log > unit - 700 ? fast_exp(log - unit) : 0; };
        return {share(log_insert), share(log_delete), unit};
    }
    // The operator at position `share` in [0, 1) of the cumulative rates of the inserts or the deletes.
    DrawnOperator<W> draw(bool insert, double share) const {
        const double sum = insert ? log_insert : log_delete;
        const Entry* chosen = nullptr;
        for (const Entry& e : entries) {
            const double part = e.op.insert == insert ? fast_exp(std::max(-700.0, e.log_rate - sum)) : 0;
            if (!(part > 0)) continue;
            chosen = &e;
            if ((share -= part) < 0) break;
        }
        return {chosen->op, chosen->score_difference};
    }

  private:
    static double log_add(double a, double b) {
        const double high = std::max(a, b), low = std::min(a, b);
        return low == kMinusInf ? high : high + std::log1p(std::exp(low - high));
    }
};

}  // namespace czz
