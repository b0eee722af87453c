// Chains and their accumulated results for Python.
#include "bind/convert.hpp"

namespace czz {

namespace {

nb::dict class_arrays(ChainInterface& c) {
    const ClassTable& t = c.classes();
    const std::size_t count = t.records().size();
    std::vector<u64> hash(2 * count), begin(count + 1);
    std::vector<double> time(count);
    std::vector<std::int64_t> from(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto& r = t.records()[i];
        hash[2 * i] = r.hash.lo;
        hash[2 * i + 1] = r.hash.hi;
        time[i] = r.held;
        from[i] = r.from == ClassTable::kEmptyGraph ? -1 : std::int64_t(r.from);
        begin[i] = r.begin;
    }
    begin[count] = t.deltas().size();
    nb::dict d;
    d["hash"] = to_numpy(std::move(hash));
    d["time"] = to_numpy(std::move(time));
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

nb::tuple kept_tables(const ChainInterface& c) {
    const KeptTables none(0);
    const KeptTables& kept = c.cells() ? c.cells()->kept() : none;
    std::vector<u64> begin{0};
    std::vector<u32> marks;
    for (const std::vector<u32>& of_class : kept.marks()) {
        marks.insert(marks.end(), of_class.begin(), of_class.end());
        begin.push_back(marks.size());
    }
    return nb::make_tuple(to_numpy(std::move(begin)), to_numpy(std::move(marks)), to_numpy(kept.cells()));
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
    m.def("decode_class", &decode);
    nb::class_<ChainInterface>(m, "Chain")
        .def("run", &ChainInterface::run, nb::call_guard<nb::gil_scoped_release>())
        .def("forget", &ChainInterface::forget)
        .def_prop_ro("tuning", &ChainInterface::tuning)
        .def("tune", &ChainInterface::tune, nb::call_guard<nb::gil_scoped_release>())
        .def("set_excursions", &ChainInterface::set_excursions)
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
        .def("statistics", &ChainInterface::statistics)
        .def_prop_ro("made", [](const ChainInterface& c) { return c.statistics().jumps; })
        .def("graph", &ChainInterface::graph)
        .def_prop_ro("direction", [](const ChainInterface& c) { return c.statistics().direction; })
        .def_prop_ro("edge_count", [](const ChainInterface& c) { return c.statistics().edges; })
        .def_prop_ro("score", [](const ChainInterface& c) { return c.statistics().score; })
        .def("draw_cells", &ChainInterface::draw_cells, nb::call_guard<nb::gil_scoped_release>())
        .def("begin_sweeps", &ChainInterface::begin_sweeps, nb::arg("jumps"), nb::arg("trials"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("sweeps", [](const ChainInterface& c) { return c.cells() ? c.cells()->sweeps : 0; })
        .def_prop_ro(
            "cells",
            [](const ChainInterface& c) -> std::optional<nb::ndarray<nb::numpy, double>> {
                if (!c.cells()) return {};
                return to_numpy(c.cells()->values());
            },
            nb::rv_policy::automatic)
        .def("kept_tables", &kept_tables)
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
            auto [arrows, lines] = c.edge_times();
            return nb::make_tuple(to_numpy(std::move(arrows.at)), to_numpy(std::move(arrows.time)),
                                  to_numpy(std::move(lines.at)), to_numpy(std::move(lines.time)));
        });
    m.def(
        "make_chain",
        [](std::shared_ptr<Graph> start, const ChainSettings& settings, const std::optional<nb::bytes>& saved) {
            std::optional<std::string_view> state;
            if (saved) state.emplace(saved->c_str(), saved->size());
            nb::gil_scoped_release nogil;
            return make_chain(*start, settings, state);
        },
        nb::arg("start"), nb::arg("settings"), nb::arg("saved").none() = nb::none());
}

}  // namespace czz
