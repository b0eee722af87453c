// Graphs and their operators for Python.
#include "bind/convert.hpp"

namespace czz {

namespace {

std::variant<std::shared_ptr<Graph>, FlawTuple> parse(Kind kind, const ByteMatrix& m) {
    const int n = int(m.shape(0));
    const std::uint8_t* data = m.data();
    GraphOrFlaw parsed = [&] {
        nb::gil_scoped_release nogil;
        return with_width(n, [&](auto graphs) { return graphs.parse(kind, n, data); });
    }();
    if (auto* flaw = std::get_if<Flaw>(&parsed)) return to_tuple(*flaw);
    return std::get<GraphPtr>(parsed);
}

// Pairs of nodes as a tuple of pairs of names. It is called for many graphs, so it uses Python's functions and the
// cache `known`, which holds the tuple of the pair (x, y) at x * n + y, or is empty if that would take too much memory.
nb::object named(const std::vector<std::pair<int, int>>& edges, const nb::tuple& names, const nb::list& known) {
    const std::size_t n = names.size(), room = known.size();
    nb::object all = nb::steal(PyTuple_New(Py_ssize_t(edges.size())));
    if (!all) throw nb::python_error();
    for (std::size_t i = 0; i < edges.size(); ++i) {
        const auto [x, y] = edges[i];
        const auto at = Py_ssize_t(std::size_t(x) * n + std::size_t(y));
        PyObject* had = room ? PyList_GetItem(known.ptr(), at) : Py_None;
        PyObject* pair = had == Py_None ? PyTuple_New(2) : Py_NewRef(had);
        if (!pair) throw nb::python_error();
        if (had == Py_None) {
            PyTuple_SetItem(pair, 0, Py_NewRef(PyTuple_GetItem(names.ptr(), x)));
            PyTuple_SetItem(pair, 1, Py_NewRef(PyTuple_GetItem(names.ptr(), y)));
            if (room) PyList_SetItem(known.ptr(), at, Py_NewRef(pair));
        }
        PyTuple_SetItem(all.ptr(), Py_ssize_t(i), pair);
    }
    return all;
}

}  // namespace

void bind_graphs(nb::module_& m) {
    nb::class_<OperatorsInterface>(m, "Operators").def("take", [](OperatorsInterface& cursor, std::size_t at_most) {
        std::vector<OperatorTuple> out;
        for (const auto& op : cursor.take(at_most)) out.push_back(to_tuple(op));
        return out;
    });
    nb::class_<GraphInterface>(m, "Graph")
        .def_static("empty", [](int n) { return with_width(n, [&](auto graphs) { return graphs.empty(n); }); })
        .def_static("complete", [](int n) { return with_width(n, [&](auto graphs) { return graphs.complete(n); }); })
        .def_static("from_matrix", [](const ByteMatrix& a) { return parse(Kind::kCpdag, a); })
        .def_static("from_dag", [](const ByteMatrix& a) { return parse(Kind::kDag, a); })
        .def_static("from_pdag", [](const ByteMatrix& a) { return parse(Kind::kPdag, a); })
        .def_prop_ro("n", &Graph::n)
        .def_prop_ro("edge_count", &Graph::edge_count)
        .def_prop_ro("hash", [](Graph& g) { return std::pair(g.hash().lo, g.hash().hi); })
        .def("matrix", [](Graph& g) { return square(g.n(), [&](std::uint8_t* out) { g.matrix(out); }); })
        .def("dag", [](Graph& g) { return square(g.n(), [&](std::uint8_t* out) { g.dag(out); }); })
        .def("parents", &Graph::parents)
        .def("children", &Graph::children)
        .def("neighbors", &Graph::neighbors)
        .def("directed_edges", &Graph::directed_edges)
        .def("undirected_edges", &Graph::undirected_edges)
        .def("named_directed_edges", [](Graph& g, const nb::tuple& names,
                                        const nb::list& known) { return named(g.directed_edges(), names, known); })
        .def("named_undirected_edges", [](Graph& g, const nb::tuple& names,
                                          const nb::list& known) { return named(g.undirected_edges(), names, known); })
        .def("count_operators", &Graph::count_operators)
        .def("operators", &Graph::operators)
        .def("random_operator",
             [](Graph& g, int kind, int max_degree, const Seed& seed) -> std::optional<OperatorTuple> {
                 auto op = g.random_operator(kind, max_degree, to_rng(seed));
                 if (!op) return {};
                 return to_tuple(*op);
             })
        .def("fault",
             [](Graph& g, bool insert, int x, int y, const std::vector<int>& th) -> std::optional<FlawTuple> {
                 auto flaw = g.fault({insert, x, y, th});
                 if (!flaw) return {};
                 return to_tuple(*flaw);
             })
        .def("apply", [](Graph& g, bool insert, int x, int y,
                         const std::vector<int>& th) { return g.apply({insert, x, y, th}); })
        .def("inverse", [](Graph& g, bool insert, int x, int y,
                           const std::vector<int>& th) { return to_tuple(g.inverse({insert, x, y, th})); })
        .def("__eq__", [](Graph& g, nb::handle other) {
            if (!nb::isinstance<GraphInterface>(other)) return false;
            const auto& o = *nb::cast<const GraphInterface*>(other);
            return g.n() == o.n() && g.hash() == o.hash() && g.whole().equals(o.whole());
        });
}

}  // namespace czz
