// The DAGs of classes for Python: their number, as the bytes of an integer, and uniform draws; sums over listed
// classes.
#include "members/members.hpp"
#include "bind/convert.hpp"

namespace czz {

namespace {

Members members_of(Graph& g) { return {g.n(), g.directed_edges(), g.undirected_edges()}; }

nb::bytes count_dags(Graph& g) {
    const Natural count = [&] {
        nb::gil_scoped_release nogil;
        return members_of(g).count();
    }();
    std::vector<char> bytes;
    for (u64 limb : count.limbs())
        for (int i = 0; i < 8; ++i) bytes.push_back(char(limb >> (8 * i) & 255));
    return nb::bytes(bytes.data(), bytes.size());
}

void random_dags(Graph& g, const Seed& seed, const nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig>& out) {
    const std::size_t each = std::size_t(g.n()) * std::size_t(g.n());
    std::uint8_t* data = out.data();
    const std::size_t k = out.shape(0);
    Rng rng = to_rng(seed);
    nb::gil_scoped_release nogil;
    Members members = members_of(g);
    for (std::size_t i = 0; i < k; ++i) members.draw(rng, data + i * each);
}

}  // namespace

void bind_members(nb::module_& m) {
    m.def("count_dags", &count_dags);
    m.def("random_dags", &random_dags);
    m.def("log_class_sizes", [](int n, const Offsets& from, const Begins& begin, const Deltas& deltas) {
        auto sizes = [&] {
            nb::gil_scoped_release nogil;
            return log_class_sizes(n, records_of(from, begin, deltas));
        }();
        return to_numpy(std::move(sizes));
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
