// Chains and their accumulated results for Python.
#include "bind/convert.hpp"

namespace czz {

namespace {

nb::dict statistics(const ChainInterface& c) {
    const ChainStatistics s = c.statistics();
    nb::dict d;
    d["jumps"] = s.jumps;
    d["inserts"] = s.inserts;
    d["flips"] = s.flips;
    d["expected_time"] = s.expected_time;
    d["drawn_time"] = s.drawn_time;
    d["unit"] = s.unit;
    d["frozen"] = s.frozen;
    d["dense_node"] = s.dense_node;
    d["dense_clique"] = s.dense_clique;
    d["row_lookups"] = s.row_lookups;
    d["row_misses"] = s.row_misses;
    d["row_evictions"] = s.row_evictions;
    d["unlisted_expected"] = s.unlisted.expected;
    d["unlisted_drawn"] = s.unlisted.drawn;
    d["excursions"] = s.excursions.made;
    d["excursions_spent"] = s.spent;
    d["excursions_accepted"] = s.excursions.accepted;
    d["excursions_changed"] = s.excursions.changed;
    d["excursions_fixed"] = s.excursions.fixed;
    d["excursions_nodes"] = s.excursions.window_nodes;
    d["score_reference"] = s.score_reference;
    d["refused"] = s.refused;
    return d;
}

// Tables, steps, window, binary logarithm of the rate, largest number; or none.
using ExcursionArguments = std::optional<std::tuple<std::shared_ptr<OrderTables>, int, int, double, u64>>;
ExcursionSettings excursion_settings(const ExcursionArguments& a) {
    if (!a) return {};
    const auto& [tables, steps, window, log2_rate, most] = *a;
    return {tables, steps, window, log2_rate, most};
}

nb::dict class_arrays(ChainInterface& c) {
    const ClassTable& t = c.classes();
    const std::size_t count = t.records().size();
    std::vector<u64> hash(2 * count), begin(count + 1);
    std::vector<double> expected(count), drawn(count);
    std::vector<std::int64_t> from(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& r = t.records()[i];
        hash[2 * i] = r.hash.lo;
        hash[2 * i + 1] = r.hash.hi;
        expected[i] = r.held.expected;
        drawn[i] = r.held.drawn;
        from[i] = r.from == ClassTable::kEmptyGraph ? -1 : std::int64_t(r.from);
        begin[i] = r.begin;
    }
    begin[count] = t.deltas().size();
    nb::dict d;
    d["hash"] = to_numpy(std::move(hash));
    d["expected"] = to_numpy(std::move(expected));
    d["drawn"] = to_numpy(std::move(drawn));
    d["from"] = to_numpy(std::move(from));
    d["begin"] = to_numpy(std::move(begin));
    d["deltas"] = to_numpy(t.deltas());
    return d;
}

nb::dict batch_arrays(ChainInterface& c) {
    const std::vector<Batch> batches = c.batches();
    std::vector<double> integrals, held;
    std::vector<u64> begin{0};
    std::vector<u32> pairs;
    std::vector<std::uint8_t> marks;
    for (const Batch& b : batches) {
        integrals.insert(integrals.end(),
                         {double(b.jumps), b.time, b.edges, b.edges_squared, b.score, b.score_squared});
        for (const Batch::Changed& p : b.changed) {
            pairs.push_back(p.pair);
            marks.push_back(std::uint8_t(p.before << 2 | p.after));
            held.insert(held.end(), p.held, p.held + 3);
        }
        begin.push_back(pairs.size());
    }
    nb::dict d;
    d["integrals"] = to_numpy(std::move(integrals));
    d["begin"] = to_numpy(std::move(begin));
    d["pairs"] = to_numpy(std::move(pairs));
    d["marks"] = to_numpy(std::move(marks));
    d["held"] = to_numpy(std::move(held));
    return d;
}

// The matrix of one listed class, from its differences on the path from the graph without edges.
nb::ndarray<nb::numpy, std::uint8_t> decode(int n, const Offsets& from, const Begins& begin, const Deltas& deltas,
                                            std::int64_t index) {
    std::vector<std::uint8_t> marks(std::size_t(n) * std::size_t(n > 0 ? n - 1 : 0) / 2);
    for (std::int64_t i = index; i >= 0; i = from(i))
        for (u64 k = begin(i); k < begin(i + 1); ++k) marks[deltas(k) >> 2] ^= deltas(k) & 3;
    return square(n, [&](std::uint8_t* out) {
        for (int b = 0; b < n; ++b)
            for (int a = 0; a < b; ++a) {
                const std::uint8_t mark = marks[pair_index(a, b)];
                out[std::size_t(a) * n + b] = mark & kForward;
                out[std::size_t(b) * n + a] = mark >> 1;
            }
    });
}

}  // namespace

void bind_chains(nb::module_& m) {
    nb::class_<OrderTables>(m, "OrderTables")
        .def(
            "__init__",
            [](OrderTables* t, std::shared_ptr<Score> score, std::vector<std::vector<int>> candidates, int most_parents,
               double coldness, double slope, std::vector<std::vector<int>> required) {
                new (t) OrderTables(std::move(score), std::move(candidates), most_parents, coldness, slope,
                                    std::move(required));
            },
            nb::arg("score"), nb::arg("candidates"), nb::arg("most_parents"), nb::arg("coldness"), nb::arg("slope"),
            nb::arg("required") = std::vector<std::vector<int>>{}, nb::call_guard<nb::gil_scoped_release>())
        .def_ro("coldness", &OrderTables::coldness)
        .def_ro("slope", &OrderTables::slope);
    m.def("decode_class", &decode);
    nb::class_<ChainInterface>(m, "Chain")
        .def("run", &ChainInterface::run, nb::call_guard<nb::gil_scoped_release>())
        .def("forget", &ChainInterface::forget)
        .def("set_coldness", nb::overload_cast<double, double>(&ChainInterface::set_coldness), nb::arg("coldness"),
             nb::arg("extra_slope"), nb::call_guard<nb::gil_scoped_release>())
        .def(
            "set_excursions",
            [](ChainInterface& c, const ExcursionArguments& excursions) {
                c.set_excursions(excursion_settings(excursions));
            },
            nb::arg("excursions").none())
        .def("anneal_order", &ChainInterface::anneal_order, nb::arg("powers"), nb::arg("steps"), nb::arg("slack"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("save",
             [](ChainInterface& c) {
                 std::string bytes;
                 {
                     nb::gil_scoped_release nogil;
                     bytes = c.save();
                 }
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def("statistics", &statistics)
        .def("graph", &ChainInterface::graph)
        .def_prop_ro("direction", &ChainInterface::direction)
        .def_prop_ro("edge_count", &ChainInterface::edge_count)
        .def_prop_ro("score", &ChainInterface::score)
        .def("classes", &class_arrays)
        .def("trace",
             [](const ChainInterface& c) {
                 const Trace& t = c.trace();
                 return nb::make_tuple(t.step(), to_numpy(t.edges), to_numpy(t.score), to_numpy(t.direction));
             })
        .def("draws",
             [](const ChainInterface& c) {
                 const Draws& d = c.trace().draws;
                 std::vector<u64> begin = d.begin;
                 begin.push_back(d.deltas.size());
                 std::vector<u64> hash;
                 for (const ClassHash& h : d.hash) hash.insert(hash.end(), {h.lo, h.hi});
                 return nb::make_tuple(d.stride, to_numpy(std::move(hash)), to_numpy(std::move(begin)),
                                       to_numpy(d.deltas));
             })
        .def("batches", &batch_arrays)
        .def("edge_times", [](const ChainInterface& c) {
            const std::size_t n = std::size_t(c.graph()->n());
            std::vector<double> directed(n * n), undirected(n * n);
            c.edge_times(directed.data(), undirected.data());
            return nb::make_tuple(to_numpy(std::move(directed)), to_numpy(std::move(undirected)));
        });
    m.def(
        "make_chain",
        [](std::shared_ptr<Graph> start, std::shared_ptr<Score> score, int balance, double coldness, double prior_slope,
           const Vector& prior_table, double momentum, int max_degree, std::vector<std::pair<int, int>> forbidden,
           const Seed& seed, int direction, double first_score, std::size_t most_classes, std::size_t most_deltas,
           std::size_t trace_points, std::size_t cache_bytes, double extra_slope, const ExcursionArguments& excursions,
           const std::optional<nb::bytes>& saved, std::shared_ptr<Arrows> arrows) {
            ChainSettings s;
            s.score = std::move(score);
            s.process.balance = Balance(balance);
            s.process.coldness = coldness;
            s.process.prior.slope = prior_slope;
            s.process.prior.table.assign(prior_table.data(), prior_table.data() + prior_table.size());
            s.process.momentum = momentum;
            s.max_degree = max_degree;
            s.forbidden = std::move(forbidden);
            s.arrows = std::move(arrows);
            s.rng = to_rng(seed);
            s.direction = direction;
            s.first_score = first_score;
            s.most_classes = most_classes;
            s.most_deltas = most_deltas;
            s.trace_points = trace_points;
            s.cache_bytes = cache_bytes;
            s.extra_slope = extra_slope;
            s.excursions = excursion_settings(excursions);
            std::optional<std::string_view> state;
            if (saved) state.emplace(saved->c_str(), saved->size());
            nb::gil_scoped_release nogil;
            return make_chain(*start, s, state);
        },
        nb::arg("start"), nb::arg("score").none(), nb::arg("balance"), nb::arg("coldness"), nb::arg("prior_slope"),
        nb::arg("prior_table"), nb::arg("momentum"), nb::arg("max_degree"), nb::arg("forbidden"), nb::arg("seed"),
        nb::arg("direction"), nb::arg("first_score"), nb::arg("most_classes"), nb::arg("most_deltas"),
        nb::arg("trace_points"), nb::arg("cache_bytes"), nb::arg("extra_slope") = 0.0,
        nb::arg("excursions").none() = nb::none(), nb::arg("saved").none() = nb::none(),
        nb::arg("arrows").none() = nb::none());
}

}  // namespace czz
