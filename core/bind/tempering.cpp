// Chains that exchange their states, for Python.
#include "sampler/tempering.hpp"
#include "bind/convert.hpp"

namespace czz {

void bind_tempering(nb::module_& m) {
    nb::class_<Ensemble>(m, "Ensemble")
        .def(
            "__init__",
            [](Ensemble* e, std::vector<std::shared_ptr<ChainInterface>> chains, std::vector<double> coldness,
               const Seed& seed, const std::optional<nb::bytes>& saved) {
                Ensemble made(std::move(chains), std::move(coldness), to_rng(seed));
                if (saved) {
                    Loader loader(std::string_view(saved->c_str(), saved->size()));
                    made.state(loader);
                    loader.end();
                }
                new (e) Ensemble(std::move(made));
            },
            nb::arg("chains"), nb::arg("coldness"), nb::arg("seed"), nb::arg("saved").none() = nb::none())
        .def("set_coldness", &Ensemble::set_coldness, nb::call_guard<nb::gil_scoped_release>())
        .def("set_intervals", &Ensemble::set_intervals, nb::call_guard<nb::gil_scoped_release>())
        .def("run", &Ensemble::run, nb::arg("exchanges"), nb::arg("seconds"), nb::arg("most_jumps"),
             nb::call_guard<nb::gil_scoped_release>())
        .def("save",
             [](Ensemble& e) {
                 Saver saver;
                 e.state(saver);
                 const std::string bytes = std::move(saver).bytes();
                 return nb::bytes(bytes.data(), bytes.size());
             })
        .def("explore", &Ensemble::explore, nb::call_guard<nb::gil_scoped_release>())
        .def_prop_ro("exchanges", &Ensemble::exchanges)
        .def_prop_ro("round_trips", &Ensemble::round_trips)
        .def_prop_ro("stuck_rung", &Ensemble::stuck_rung)
        .def("swaps", [](const Ensemble& e) {
            std::vector<std::tuple<u64, double>> out;
            for (const Ensemble::Pair& p : e.pairs()) out.emplace_back(p.tried, p.accepted);
            return out;
        });
}

}  // namespace czz
