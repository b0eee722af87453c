// Exact results for Python: all classes, the best DAG, sums over all DAGs and draws from them.
#include "bind/convert.hpp"
#include "exact/all_classes.hpp"
#include "exact/best_dag.hpp"
#include "exact/drawn_classes.hpp"
#include "exact/edge_posterior.hpp"

namespace czz {

namespace {

using Table = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // n rows of 2^(n-1)

nb::tuple all_classes(int n, const std::optional<Table>& table, const ArrowKnowledge* known) {
    std::vector<u32> code, oriented, size;
    std::vector<double> log_mean;
    {
        nb::gil_scoped_release nogil;
        const AllClasses classes(n, table ? table->data() : nullptr, known);
        for (const ClassOfAll& c : classes.list()) {
            code.push_back(c.code);
            oriented.push_back(c.oriented);
            size.push_back(c.size);
            log_mean.push_back(c.log_mean());
        }
    }
    return nb::make_tuple(to_numpy(std::move(code)), to_numpy(std::move(size)), to_numpy(std::move(log_mean)),
                          to_numpy(std::move(oriented)));
}

nb::tuple edge_posterior(const Table& table) {
    auto sums = [&] {
        nb::gil_scoped_release nogil;
        return EdgePosterior(int(table.shape(0)), table.data());
    }();
    return nb::make_tuple(to_numpy(std::move(sums.directed)), to_numpy(std::move(sums.path)), sums.miss);
}

nb::tuple draw_classes(const Table& table, u32 draws, const Seed& seed) {
    auto classes = [&] {
        nb::gil_scoped_release nogil;
        const int n = int(table.shape(0));
        return DrawnClasses(n, DagDraws(n, table.data(), draws, to_rng(seed)));
    }();
    return nb::make_tuple(to_numpy(std::move(classes.marks)), to_numpy(std::move(classes.names)),
                          to_numpy(std::move(classes.of_draw)));
}

}  // namespace

void bind_exact(nb::module_& m) {
    m.def("all_classes", &all_classes, nb::arg("n"), nb::arg("table").none(), nb::arg("arrows").none() = nb::none());
    m.def(
        "fill_local_table",
        [](const Score& score, int max_parents, const Table& table) {
            fill_local_table(score, max_parents, table.data());
        },
        nb::call_guard<nb::gil_scoped_release>());
    m.def(
        "best_dag", [](const Table& table) { return best_dag(int(table.shape(0)), table.data()); },
        nb::call_guard<nb::gil_scoped_release>());
    m.def("edge_posterior", &edge_posterior);
    m.def("draw_classes", &draw_classes, nb::arg("table"), nb::arg("draws"), nb::arg("seed"));
}

}  // namespace czz
