// Completed tables, and chains of classes and missing cells, for Python.
#include "bind/convert.hpp"
#include "missing/augmented_chain.hpp"
#include "missing/discrete_table.hpp"
#include "missing/embedded_table.hpp"
#include "scores/blocks.hpp"
#include "scores/gaussian.hpp"
#include <numeric>

namespace czz {

namespace {

using Codes = nb::ndarray<const u16, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Holes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // rows of (row, node)

std::vector<Hole> to_holes(const Holes& holes) {
    std::vector<Hole> out;
    for (std::size_t i = 0; i < holes.shape(0); ++i) out.push_back({u32(holes(i, 0)), int(holes(i, 1))});
    return out;
}

// The marginal likelihood of the columns, given the posterior scatter; constants: that of the d-th column given d − 1
// others, for a posterior scatter I.
EmbeddedTable::MakeScore score_of(const std::vector<int>& begin, double rows, const NormalWishart& prior,
                                  const Vector& constants) {
    const int n = int(begin.size()) - 1, columns = begin.back();
    const double freedom = rows + prior.alpha_w - columns;
    std::vector<double> c(constants.data(), constants.data() + constants.size());
    if (n == columns) {
        std::vector<double> h;
        for (int k = 0; k <= n; ++k) h.push_back((freedom + k + 1) / 2);
        c.push_back(0);
        return [n, h, c](const double* correlation, const double* log_scale) {
            return std::make_shared<Gaussian>(n, correlation, log_scale, h.data(), c.data(), 0.5);
        };
    }
    c.insert(c.begin(), 0);
    std::partial_sum(c.begin(), c.end(), c.begin());
    return [n, begin, freedom, c](const double* correlation, const double* log_scale) {
        std::vector<double> sums;
        for (int v = 0; v < n; ++v)
            sums.push_back(std::accumulate(log_scale + begin[v], log_scale + begin[v + 1], 0.0));
        return std::make_shared<Blocks>(begin, correlation, sums.data(), freedom / 2, 0.5, c.data(), 0.0);
    };
}

}  // namespace

void bind_missing(nb::module_& m) {
    nb::class_<CompletedTable>(m, "CompletedTable")
        .def("draw", &CompletedTable::draw, nb::call_guard<nb::gil_scoped_release>())
        .def("score", [](const CompletedTable& t) { return std::const_pointer_cast<Score>(t.score()); })
        .def("cells", [](const CompletedTable& t) { return to_numpy(t.cells()); })
        .def("set_cells",
             [](CompletedTable& t, const Vector& cells) {
                 t.set_cells(std::vector<double>(cells.data(), cells.data() + cells.size()));
             })
        .def("save",
             [](CompletedTable& t) {
                 Saver saver;
                 t.state(saver);
                 const std::string bytes = std::move(saver).bytes();
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def("load", [](CompletedTable& t, const nb::bytes& saved) {
            Loader loader(std::string_view(saved.c_str(), saved.size()));
            t.state(loader);
            loader.end();
        });
    nb::class_<AugmentedChain, ChainInterface>(m, "AugmentedChain")
        .def("draw_cells", &AugmentedChain::draw_cells, nb::call_guard<nb::gil_scoped_release>())
        .def("begin_sweeps", &AugmentedChain::begin_sweeps, nb::arg("jumps"), nb::arg("trials"),
             nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("sweeps", &AugmentedChain::sweeps)
        .def("cells", [](const AugmentedChain& c) { return to_numpy(c.cells()); })
        .def("kept_tables", [](const AugmentedChain& c) {
            std::vector<u64> begin{0};
            std::vector<u32> marks;
            for (const std::vector<u32>& own : c.kept().marks()) {
                marks.insert(marks.end(), own.begin(), own.end());
                begin.push_back(marks.size());
            }
            return nb::make_tuple(to_numpy(std::move(begin)), to_numpy(std::move(marks)), to_numpy(c.kept().cells()));
        });
    m.def(
        "make_augmented_chain",
        [](std::shared_ptr<Graph> start, const ChainSettings& settings, std::shared_ptr<CompletedTable> table,
           double reference, std::size_t most_tables, const std::optional<nb::bytes>& saved) {
            Saved state;
            if (saved) state.emplace(saved->c_str(), saved->size());
            nb::gil_scoped_release nogil;
            return std::make_unique<AugmentedChain>(*start, settings, std::move(table), reference, most_tables, state);
        },
        nb::arg("start"), nb::arg("settings"), nb::arg("table"), nb::arg("reference"), nb::arg("most_tables"),
        nb::arg("saved").none() = nb::none());
    using Made = std::shared_ptr<CompletedTable>;
    m.def("discrete_table",
          [](std::vector<int> levels, const Codes& codes, const Holes& holes, double sample_size,
             const Seed& seed) -> Made {
              return std::make_shared<DiscreteTable>(std::move(levels), codes.shape(1), codes.data(), to_holes(holes),
                                                     sample_size, to_rng(seed));
          });
    m.def("embedded_table",
          [](std::vector<int> begin, const Matrix& values, EmbeddedTable::Points points, const Holes& holes,
             double alpha_mu, double alpha_w, double scale, const Vector& constants, const Seed& seed) -> Made {
              const NormalWishart prior{alpha_mu, alpha_w, scale};
              const std::size_t rows = values.shape(0);
              auto make = score_of(begin, double(rows), prior, constants);
              return std::make_shared<EmbeddedTable>(std::move(begin), rows, values.data(), std::move(points),
                                                     to_holes(holes), prior, make, to_rng(seed));
          });
}

}  // namespace czz
