// ClassTable on random walks through all classes of five nodes, against a map that forgets nothing.
#include "sampler/accumulate/class_table.hpp"
#include "base/archive.hpp"
#include "base/rng.hpp"
#include "graph/operators.hpp"
#include "tests/check.hpp"
#include <map>

using namespace czz;

namespace {

using Key = std::pair<u64, u64>;
using Graph = Cpdag<1>;

Key key(const ClassHash& h) { return {h.lo, h.hi}; }

// A uniform operator, by listing all of them.
void random_move(Graph& g, u64 random) {
    std::vector<Operator<1>> all;
    OperatorCursor<1> cursor(g, g.n);
    for (Operator<1> op; cursor.next(op);) all.push_back(op);
    const Operator<1> op = all[std::size_t(random % all.size())];
    g.apply(op);
}

// The hash of a record, from its differences along the way to the graph without edges.
ClassHash decode(const ClassTable& t, std::size_t i) {
    std::map<u32, u32> marks;
    for (u32 at = u32(i);;) {
        const auto& r = t.records()[at];
        const std::size_t end = at + 1 < t.records().size() ? t.records()[at + 1].begin : t.deltas().size();
        for (std::size_t k = r.begin; k < end; ++k) marks[t.deltas()[k] >> 2] ^= t.deltas()[k] & 3;
        if (r.from == ClassTable::kEmptyGraph) break;
        CHECK(r.from < at);
        at = r.from;
    }
    ClassHash h;
    for (const auto& [pair, mark] : marks) h.toggle(pair, Mark(mark));
    return h;
}

void check_walk(std::size_t most_classes, std::size_t most_deltas) {
    Graph g(5);
    ClassTable table(most_classes, most_deltas);
    std::map<Key, double> plain;
    Rng rng{{3, 1, 4, 1}};
    double total = 0;
    for (int k = 0; k < 20000; ++k) {
        const double time = double(1 + rng.below(8));  // integers: sums are exact
        table.add(g, time);
        plain[key(g.hash)] += time;
        total += time;
        random_move(g, rng());
        table.prefetch_slot(g.hash);
        table.prefetch_record(g.hash);
    }
    double listed = 0;
    std::map<Key, int> seen;
    const bool whole = plain.size() <= most_classes && table.unlisted() == 0;
    for (std::size_t i = 0; i < table.records().size(); ++i) {
        const auto& r = table.records()[i];
        CHECK(++seen[key(r.hash)] == 1);
        CHECK(decode(table, i) == r.hash);
        const double truth = plain.at(key(r.hash));
        CHECK(whole ? r.held == truth : r.held <= truth);
        listed += r.held;
    }
    CHECK(listed + table.unlisted() == total);
    CHECK(table.records().size() <= most_classes && table.deltas().size() <= most_deltas);
    CHECK(whole == (seen.size() == plain.size()));

    Saver saver;
    table.state(saver);
    const std::string state = std::move(saver).bytes();
    Loader loader(state);
    ClassTable loaded(most_classes, most_deltas);
    loaded.state(loader);
    loader.end();
    Graph h = g;
    for (int k = 0; k < 2000; ++k) {
        table.add(g, 1);
        loaded.add(h, 1);
        const u64 random = rng();
        random_move(g, random);
        random_move(h, random);
    }
    CHECK(table.deltas() == loaded.deltas() && table.records().size() == loaded.records().size());
    for (std::size_t i = 0; i < table.records().size(); ++i)
        CHECK(table.records()[i].hash == loaded.records()[i].hash &&
              table.records()[i].held == loaded.records()[i].held);
    table.rescale(-1);
    CHECK(table.unlisted() == loaded.unlisted() / 2);
    table.clear();
    CHECK(table.records().empty() && table.deltas().empty() && table.unlisted() == 0);
}

}  // namespace

void test_class_table() {
    check_walk(20000, 1 << 20);  // nothing is dropped
    check_walk(500, 1 << 20);    // the number of classes is the limit
    check_walk(20000, 3000);     // the number of differences is
    check_walk(2, 1 << 20);
}
