// What a chain is given and what it reports, for Python: structs with the same names of fields.
#include "bind/convert.hpp"
#include "sampler/excursions/region_excursions.hpp"

namespace czz {

namespace {

// A constructor that takes any of the fields as keywords.
template <class T>
auto with_fields() {
    return nb::new_([](const nb::kwargs& fields) {
        nb::object made = nb::cast(T{});
        for (auto [name, value] : fields) nb::setattr(made, name, value);
        return made;
    });
}

void bind_settings(nb::module_& m) {
    nb::enum_<Balance>(m, "Balance")
        .value("sqrt", Balance::kSqrt)
        .value("metropolis", Balance::kMetropolis)
        .value("barker", Balance::kBarker)
        .value("auto", Balance::kAuto);
    nb::class_<EdgePrior>(m, "EdgePrior")
        .def(nb::init<double, std::vector<double>>(), nb::arg("slope") = 0.0, nb::arg("table") = std::vector<double>{});
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
    nb::class_<Regions>(m, "Regions")
        .def(
            "__init__",
            [](Regions* r, std::shared_ptr<Score> score, Lists nodes, double coldness, double slope, Lists barred,
               Lists required, std::vector<double> weights) {
                if (weights.empty()) weights.assign(nodes.size(), 1.0);
                new (r) Regions{std::move(score),  std::move(nodes),    coldness, slope,
                                std::move(barred), std::move(required), {}};
                r->weigh(weights);
            },
            nb::arg("score"), nb::arg("nodes"), nb::arg("coldness"), nb::arg("slope"), nb::arg("barred") = Lists{},
            nb::arg("required") = Lists{}, nb::arg("weights") = std::vector<double>{})
        .def(
            "far_shares",
            [](std::shared_ptr<Regions> r, const Lists& parents, int draws, const Seed& seed, double seconds) {
                Rng rng = to_rng(seed);
                nb::gil_scoped_release nogil;
                return RegionExcursions({nullptr, std::move(r), 0, 0, 0, 0}, {}, int(parents.size()), false)
                    .far_shares(parents, draws, rng, seconds);
            },
            nb::arg("parents"), nb::arg("draws"), nb::arg("seed"), nb::arg("seconds"));
    nb::class_<ExcursionSettings>(m, "ExcursionSettings")
        .def(with_fields<ExcursionSettings>())
        .def_rw("tables", &ExcursionSettings::tables)
        .def_rw("regions", &ExcursionSettings::regions)
        .def_rw("steps", &ExcursionSettings::steps)
        .def_rw("window", &ExcursionSettings::window)
        .def_rw("log2_rate", &ExcursionSettings::log2_rate)
        .def_rw("most", &ExcursionSettings::most);
    nb::class_<ChainSettings>(m, "ChainSettings")
        .def(with_fields<ChainSettings>())
        .def_rw("balance", &ChainSettings::balance)
        .def_rw("sqrt_weight", &ChainSettings::sqrt_weight)
        .def_rw("coldness", &ChainSettings::coldness)
        .def_rw("prior", &ChainSettings::prior)
        .def_rw("momentum", &ChainSettings::momentum)
        .def_rw("unlikely_below", &ChainSettings::unlikely_below)
        .def_rw("score", &ChainSettings::score, nb::arg().none())
        .def_rw("max_degree", &ChainSettings::max_degree)
        .def_rw("forbidden", &ChainSettings::forbidden)
        .def_rw("arrows", &ChainSettings::arrows, nb::arg().none())
        .def_prop_rw(
            "seed", [](const ChainSettings& s) { return to_numpy(std::vector<u64>(s.rng.s.begin(), s.rng.s.end())); },
            [](ChainSettings& s, const Seed& seed) { s.rng = to_rng(seed); })
        .def_rw("direction", &ChainSettings::direction)
        .def_rw("first_score", &ChainSettings::first_score)
        .def_rw("extra_slope", &ChainSettings::extra_slope)
        .def_rw("moves", &ChainSettings::moves)
        .def_rw("excursions", &ChainSettings::excursions)
        .def_rw("most_classes", &ChainSettings::most_classes)
        .def_rw("most_deltas", &ChainSettings::most_deltas)
        .def_rw("trace_points", &ChainSettings::trace_points)
        .def_rw("cache_bytes", &ChainSettings::cache_bytes)
        .def_rw("table", &ChainSettings::table, nb::arg().none())
        .def_rw("most_tables", &ChainSettings::most_tables);
    nb::class_<Tuning>(m, "Tuning")
        .def_rw("coldness", &Tuning::coldness)
        .def_rw("extra_slope", &Tuning::extra_slope)
        .def_rw("sqrt_weight", &Tuning::sqrt_weight)
        .def_rw("steps", &Tuning::steps)
        .def_rw("window", &Tuning::window)
        .def_rw("log2_rate", &Tuning::log2_rate)
        .def_rw("most_excursions", &Tuning::most_excursions);
}

void bind_statistics(nb::module_& m) {
    nb::class_<Holding>(m, "Holding")
        .def_ro("expected", &Holding::expected)
        .def_ro("drawn", &Holding::drawn)
        .def("__eq__", [](const Holding& a, const Holding& b) { return a == b; });
    nb::class_<ExcursionCounts>(m, "ExcursionCounts")
        .def_ro("made", &ExcursionCounts::made)
        .def_ro("accepted", &ExcursionCounts::accepted)
        .def_ro("changed", &ExcursionCounts::changed)
        .def_ro("fixed", &ExcursionCounts::fixed)
        .def_ro("window_nodes", &ExcursionCounts::window_nodes);
    nb::class_<ChainStatistics>(m, "ChainStatistics")
        .def_ro("jumps", &ChainStatistics::jumps)
        .def_ro("inserts", &ChainStatistics::inserts)
        .def_ro("flips", &ChainStatistics::flips)
        .def_ro("time", &ChainStatistics::time)
        .def_prop_ro("metropolis_part", [](const ChainStatistics& s) { return s.parts.metropolis; })
        .def_prop_ro("sqrt_part", [](const ChainStatistics& s) { return s.parts.sqrt; })
        .def_ro("unit", &ChainStatistics::unit)
        .def_ro("frozen", &ChainStatistics::frozen)
        .def_ro("dense_node", &ChainStatistics::dense_node)
        .def_ro("dense_clique", &ChainStatistics::dense_clique)
        .def_ro("row_lookups", &ChainStatistics::row_lookups)
        .def_ro("row_misses", &ChainStatistics::row_misses)
        .def_ro("row_evictions", &ChainStatistics::row_evictions)
        .def_ro("unlisted", &ChainStatistics::unlisted)
        .def_ro("excursions", &ChainStatistics::excursions)
        .def_ro("excursions_spent", &ChainStatistics::excursions_spent)
        .def_ro("score_reference", &ChainStatistics::score_reference)
        .def_ro("refused", &ChainStatistics::refused)
        .def_ro("direction", &ChainStatistics::direction)
        .def_ro("edges", &ChainStatistics::edges)
        .def_ro("score", &ChainStatistics::score)
        .def("__eq__", [](const ChainStatistics& a, const ChainStatistics& b) { return a == b; });
}

}  // namespace

void bind_chain_values(nb::module_& m) {
    bind_settings(m);
    bind_statistics(m);
}

}  // namespace czz
