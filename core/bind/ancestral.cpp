// Chains of maximal ancestral graphs for Python, and what batches of such graphs say.
#include "ancestral/connecting_score.hpp"
#include "ancestral/district_score.hpp"
#include "ancestral/mag_transitions.hpp"
#include "ancestral/pag_marks.hpp"
#include "bind/convert.hpp"

namespace czz {

namespace {

using NodePairs = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;  // n by n, 0 or 1

// Calls f(index, graph) for the graphs in the rows of a matrix of states.
template <class F>
void each_mag(int n, const ByteMatrix& states, F&& f) {
    for (std::size_t i = 0; i < states.shape(0); ++i) f(i, mag_of(n, states.data() + i * states.shape(1)));
}
std::array<MagSet, kMostMagNodes> sets_of(const NodePairs& pairs) {
    std::array<MagSet, kMostMagNodes> sets{};
    for (std::size_t a = 0; a < pairs.shape(0); ++a)
        for (std::size_t b = 0; b < pairs.shape(1); ++b)
            if (pairs(a, b)) sets[a] |= only(int(b));
    return sets;
}
template <class T, class F>
nb::ndarray<nb::numpy, T> of_each(int n, const ByteMatrix& states, std::size_t width, F&& f) {
    std::vector<T> out(states.shape(0) * width);
    {
        nb::gil_scoped_release nogil;
        each_mag(n, states, [&](std::size_t i, Mag g) { f(g, out.data() + i * width); });
    }
    return to_numpy(std::move(out));
}

}  // namespace

void bind_ancestral(nb::module_& m) {
    m.attr("most_mag_nodes") = kMostMagNodes;
    m.def("mags_valid", [](int n, const ByteMatrix& states) {
        return of_each<std::uint8_t>(n, states, 1, [](Mag& g, std::uint8_t* out) { *out = g.is_valid(); });
    });
    m.def("mag_keys", [](int n, const ByteMatrix& states) {
        return of_each<u64>(n, states, 1, [](const Mag& g, u64* out) { *out = class_key(g); });
    });
    m.def("mag_ancestors", [](int n, const ByteMatrix& states) {
        return of_each<std::uint8_t>(n, states, std::size_t(n * n), [n](const Mag& g, std::uint8_t* out) {
            for (int v = 0; v < n; ++v) each_node(g.ancestors[Mag::at(v)], [&](int a) { out[a * n + v] = 1; });
        });
    });
    m.def("pag_marks", [](int n, const ByteMatrix& states) {
        return of_each<std::uint8_t>(n, states, std::size_t(n * n), [](const Mag& g, std::uint8_t* out) {
            const PagMarks pag(g);
            std::copy(pag.marks().begin(), pag.marks().end(), out);
        });
    });
    m.def("pag_ancestry", [](int n, const ByteMatrix& states) {
        return of_each<std::uint8_t>(n, states, std::size_t(n * n), [](const Mag& g, std::uint8_t* out) {
            const std::vector<std::uint8_t> shared = PagMarks(g).ancestry();
            std::copy(shared.begin(), shared.end(), out);
        });
    });
    m.def("mag_members", [](int n, const ByteMatrix& state, std::size_t most) {
        std::vector<std::uint8_t> out;
        for (const Mag& g : class_members(mag_of(n, state.data()), most)) {
            out.resize(out.size() + std::size_t(pair_count(n)));
            write_states(g, out.data() + out.size() - pair_count(n));
        }
        return to_numpy(std::move(out));
    });
    // The result of changing each pair of a MAG to each state: valid or not, in the order of the pairs, then states.
    m.def("mag_changes", [](int n, const ByteMatrix& states) {
        return of_each<std::uint8_t>(n, states, std::size_t(4 * pair_count(n)), [n](const Mag& g, std::uint8_t* out) {
            for (int x = 0; x < n; ++x)
                for (int y = x + 1; y < n; ++y)
                    for (const PairState to : {kApart, kForth, kBack, kSpouses}) {
                        Mag h = g;
                        *out++ = h.change(x, y, to);
                    }
        });
    });

    m.attr("most_connecting_nodes") = kMostConnectingNodes;
    nb::class_<MagScore>(m, "MagScore")
        .def_prop_ro("fits", &MagScore::fits)
        .def("totals", [](MagScore& score, const ByteMatrix& states) {
            return of_each<double>(score.n(), states, 1, [&](const Mag& g, double* out) { *out = score.total(g); });
        });
    nb::class_<DistrictScore, MagScore>(m, "DistrictScore")
        .def(
            "__init__",
            [](DistrictScore* self, const Matrix& covariance, double rows, double penalty, double offset,
               double tolerance, int starts) {
                new (self) DistrictScore(int(covariance.shape(0)), covariance.data(), rows, penalty, offset, tolerance,
                                         starts);
            },
            nb::arg("covariance"), nb::arg("rows"), nb::arg("penalty"), nb::arg("offset"), nb::arg("tolerance"),
            nb::arg("starts"));
    nb::class_<ConnectingScore, MagScore>(m, "ConnectingScore")
        .def("__init__",
             [](ConnectingScore* self, int n, const Vector& values) { new (self) ConnectingScore(n, values.data()); });
    nb::class_<MagKnowledge>(m, "MagKnowledge")
        .def("__init__",
             [](MagKnowledge* self, const NodePairs& causes, const NodePairs& spares, const NodePairs& apart,
                const NodePairs& unconfounded) {
                 new (self) MagKnowledge{sets_of(causes), sets_of(spares), sets_of(apart), sets_of(unconfounded)};
             })
        .def("allows", [](const MagKnowledge& known, int n, const ByteMatrix& states) {
            return of_each<std::uint8_t>(n, states, 1,
                                         [&](const Mag& g, std::uint8_t* out) { *out = known.allows(g); });
        });
    nb::class_<MagTarget>(m, "MagTarget")
        .def(
            "__init__",
            [](MagTarget* self, std::shared_ptr<MagScore> score, const MagKnowledge& known, double edge_cost,
               std::shared_ptr<MagScore> guess) {
                new (self) MagTarget{std::move(score), known, edge_cost, std::move(guess), 1};
            },
            nb::arg("score"), nb::arg("known"), nb::arg("edge_cost"), nb::arg("guess").none() = nb::none())
        // The states of the graphs that a jump can lead to, and their probabilities.
        .def("transitions", [](const MagTarget& target, const ByteMatrix& state) {
            std::vector<std::uint8_t> states;
            std::vector<double> probabilities;
            for (const auto& [to, p] : mag_transitions(target, mag_of(target.score->n(), state.data()))) {
                states.insert(states.end(), to.begin(), to.end());
                probabilities.push_back(p);
            }
            return nb::make_tuple(to_numpy(std::move(states)), to_numpy(std::move(probabilities)));
        });
    nb::class_<MagChain>(m, "MagChain")
        .def("__init__",
             [](MagChain* self, const MagTarget& target, const ByteMatrix& start, const Seed& seed) {
                 new (self) MagChain(target, mag_of(target.score->n(), start.data()), to_rng(seed));
             })
        .def("anneal", &MagChain::anneal, nb::arg("steps"), nb::arg("coldness"))
        .def("run", &MagChain::run, nb::arg("steps"), nb::arg("seconds"), nb::call_guard<nb::gil_scoped_release>())
        .def("thin", &MagChain::thin)
        .def("forget", &MagChain::forget)
        .def_prop_ro("annealing", &MagChain::annealing)
        .def_prop_ro("steps", &MagChain::steps)
        .def_prop_ro("jumps", &MagChain::jumps)
        .def_prop_ro("fits", &MagChain::fits)
        .def_prop_ro("score", &MagChain::score)
        .def("kept", [](const MagChain& chain) { return to_numpy(chain.kept()); })
        .def("times", [](MagChain& chain) {
            const MagTimes& times = chain.settled_times();
            return nb::make_tuple(times.total(), to_numpy(times.states()), to_numpy(times.ancestors()));
        });
}

}  // namespace czz
