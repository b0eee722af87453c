// Completed tables for Python.
#include "bind/convert.hpp"
#include "missing/discrete_table.hpp"
#include "missing/embedded_table.hpp"

namespace czz {

namespace {

using Codes = nb::ndarray<const u16, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Holes = nb::ndarray<const std::int64_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // rows of (row, node)

std::vector<Hole> to_holes(const Holes& holes) {
    std::vector<Hole> out;
    for (std::size_t i = 0; i < holes.shape(0); ++i) out.push_back({u32(holes(i, 0)), int(holes(i, 1))});
    return out;
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
    using Made = std::shared_ptr<CompletedTable>;
    m.def("discrete_table",
          [](std::vector<int> levels, const Codes& codes, const Holes& holes, double sample_size,
             const Seed& seed) -> Made {
              return std::make_shared<DiscreteTable>(std::move(levels), codes.shape(1), codes.data(), to_holes(holes),
                                                     sample_size, to_rng(seed));
          });
    m.def("embedded_table",
          [](std::vector<int> begin, const Matrix& values, EmbeddedTable::Points points, const Holes& holes,
             double alpha_mu, double alpha_w, double scale, const Seed& seed) -> Made {
              const NormalWishart prior{std::size_t(begin.back()), alpha_mu, alpha_w, scale};
              return std::make_shared<EmbeddedTable>(std::move(begin), values.shape(0), values.data(),
                                                     std::move(points), to_holes(holes), prior, to_rng(seed));
          });
}

}  // namespace czz
