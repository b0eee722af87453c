// The DAGs of classes for Python: their number, as the bytes of an integer, and uniform draws, with and without
// knowledge; what knowledge orients; sums over listed classes.
#include "bind/convert.hpp"
#include "members/agreeing.hpp"

namespace czz {

namespace {

using Known = const ArrowKnowledge*;  // null: no knowledge

template <class F>
auto guarded(F&& f) {  // names the nodes
    return with_overflow_error<TooManySplits>([](const TooManySplits& e) { return nb::make_tuple(e.nodes); }, f);
}

// No members: the class does not agree with the knowledge.
std::optional<Members> members_of(Graph& g, Known known) {
    if (!known) return Members(g.n(), g.directed_edges(), g.undirected_edges());
    auto oriented = orient_class(g.n(), g.directed_edges(), g.undirected_edges(), *known);
    if (std::holds_alternative<Flaw>(oriented)) return {};
    auto& [arrows, lines] = std::get<OrientedGraph>(oriented);
    return Members(g.n(), std::move(arrows), lines);
}

std::variant<nb::ndarray<nb::numpy, std::uint8_t>, FlawTuple> orient(Graph& g, const ArrowKnowledge& known) {
    const auto oriented = orient_class(g.n(), g.directed_edges(), g.undirected_edges(), known);
    if (auto* flaw = std::get_if<Flaw>(&oriented)) return to_tuple(*flaw);
    const OrientedGraph& found = std::get<OrientedGraph>(oriented);  // clang captures no structured bindings
    const std::size_t n = std::size_t(g.n());
    return square(g.n(), [&](std::uint8_t* out) {
        for (auto [a, b] : found.arrows) out[std::size_t(a) * n + std::size_t(b)] = 1;
        for (auto [a, b] : found.lines)
            out[std::size_t(a) * n + std::size_t(b)] = out[std::size_t(b) * n + std::size_t(a)] = 1;
    });
}

nb::bytes count_dags(Graph& g, Known known) {
    const Natural count = guarded([&] {
        const auto members = members_of(g, known);
        return members ? members->count() : Natural(0);
    });
    std::vector<char> bytes;
    for (u64 limb : count.limbs())
        for (int i = 0; i < 8; ++i) bytes.push_back(char(limb >> (8 * i) & 255));
    return nb::bytes(bytes.data(), bytes.size());
}

void random_dags(Graph& g, const Seed& seed, const nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig>& out,
                 Known known) {
    const std::size_t each = std::size_t(g.n()) * std::size_t(g.n());
    std::uint8_t* data = out.data();
    const std::size_t k = out.shape(0);
    Rng rng = to_rng(seed);
    guarded([&] {
        auto members = members_of(g, known);
        if (!members) throw std::invalid_argument("the class does not agree with the knowledge");
        for (std::size_t i = 0; i < k; ++i) members->draw(rng, data + i * each);
    });
}

}  // namespace

void bind_members(nb::module_& m) {
    nb::class_<ArrowKnowledge>(m, "ArrowKnowledge")
        .def(nb::init<int, const Pairs&, Pairs>(), nb::arg("n"), nb::arg("forbidden"), nb::arg("required"))
        .def_prop_ro("n", &ArrowKnowledge::n);
    m.def("orient", &orient);
    m.def("count_dags", &count_dags, nb::arg("graph"), nb::arg("arrows").none() = nb::none());
    m.def("random_dags", &random_dags, nb::arg("graph"), nb::arg("seed"), nb::arg("out"),
          nb::arg("arrows").none() = nb::none());
    m.def(
        "log_class_sizes",
        [](int n, const Offsets& from, const Begins& begin, const Deltas& deltas, Known known) {
            auto sizes = guarded([&] {
                const Records r = records_of(from, begin, deltas);
                return known ? log_class_sizes(n, r, *known) : log_class_sizes(n, r);
            });
            return to_numpy(std::move(sizes));
        },
        nb::arg("n"), nb::arg("origin"), nb::arg("begin"), nb::arg("deltas"), nb::arg("arrows").none() = nb::none());
    m.def("orient_classes",
          [](int n, const Offsets& from, const Begins& begin, const Deltas& deltas, const ArrowKnowledge& known) {
              auto oriented = [&] {
                  nb::gil_scoped_release nogil;
                  return orient_records(n, records_of(from, begin, deltas), known);
              }();
              return nb::make_tuple(to_numpy(std::move(oriented.begin)), to_numpy(std::move(oriented.deltas)),
                                    to_numpy(std::move(oriented.agrees)));
          });
    m.def("edge_sums", [](int n, const Offsets& from, const Begins& begin, const Deltas& deltas, const Vector& values) {
        std::vector<double> directed(std::size_t(n) * n), undirected(directed.size());
        {
            nb::gil_scoped_release nogil;
            edge_sums(n, records_of(from, begin, deltas), values.data(), directed.data(), undirected.data());
        }
        return nb::make_tuple(to_numpy(std::move(directed)), to_numpy(std::move(undirected)));
    });
}

}  // namespace czz
