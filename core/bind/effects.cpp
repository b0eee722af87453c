// Parent sets of listed classes, and quantiles of effects, for Python.
#include "base/student.hpp"
#include "bind/convert.hpp"
#include "members/parent_sets.hpp"
#include <map>

namespace czz {

namespace {

template <class F>
auto limited(F&& f) {  // names the node, or -1, and the limit
    return with_overflow_error<TooManyParentSets>(
        [](const TooManyParentSets& e) { return nb::make_tuple(e.node, e.limit); }, f);
}

void add_classes(ParentSetsInterface& s, const Offsets& from, const Begins& begin, const Deltas& deltas,
                 const Vector& values) {
    limited([&] { s.add(records_of(from, begin, deltas), values.data()); });
}

nb::tuple take_rows(ParentSetsInterface& s) {
    return nb::make_tuple(to_numpy(s.cause), to_numpy(s.begin), to_numpy(s.member),
                          to_numpy(std::exchange(s.weight, {})), to_numpy(std::exchange(s.below, {})));
}

nb::tuple sums_of_batches(ParentSetsInterface& s, const Offsets& from, const Begins& begin, const Deltas& deltas,
                          const Vector& values, const Deltas& batch, std::size_t batches, const Matrix& coefficients) {
    const std::size_t size = 2 * s.causes.size() * coefficients.shape(1);
    std::vector<double> sums(batches * size);
    std::vector<std::int64_t> changes(size);
    limited([&] {
        s.batch_sums(records_of(from, begin, deltas), values.data(), batch.data(), coefficients.data(), sums.data(),
                     changes.data());
    });
    return nb::make_tuple(to_numpy(std::move(sums)), to_numpy(std::move(changes)));
}

auto shares_below(ParentSetsInterface& s, const Offsets& from, const Begins& begin, const Deltas& deltas, int y) {
    std::vector<double> shares(from.size());
    limited([&] { s.below_shares(records_of(from, begin, deltas), y, shares.data()); });
    return to_numpy(std::move(shares));
}

using CdfTable = std::map<double, StudentCdf>;

const StudentCdf& cdf_of(CdfTable& known, double freedom) { return known.try_emplace(freedom, freedom).first->second; }

auto student_cdf(const Vector& t, const Vector& freedom) {
    std::vector<double> found(t.size());
    CdfTable known;
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = cdf_of(known, freedom(i))(t(i));
    return to_numpy(std::move(found));
}

nb::tuple mixture_quantiles(const Matrix& weight, const Matrix& mean, const Matrix& scale, const Vector& freedom,
                            const Vector& rest, const Vector& levels) {
    const std::size_t columns = weight.shape(1);
    std::vector<double> below(columns), quantiles(columns * levels.size());
    {
        nb::gil_scoped_release nogil;
        CdfTable known;
        std::vector<const StudentCdf*> cdf(weight.shape(0));
        for (std::size_t row = 0; row < cdf.size(); ++row) cdf[row] = &cdf_of(known, freedom(row));
        StudentMixture mixture;
        for (std::size_t y = 0; y < columns; ++y) {
            mixture.clear();
            for (std::size_t row = 0; row < cdf.size(); ++row)
                if (weight(row, y) > 0) mixture.add(weight(row, y), mean(row, y), scale(row, y), *cdf[row]);
            below[y] = mixture.below(0);
            for (std::size_t i = 0; i < levels.size(); ++i)
                quantiles[y * levels.size() + i] = mixture.quantile(levels(i), rest(y));
        }
    }
    return nb::make_tuple(to_numpy(std::move(below)), to_numpy(std::move(quantiles)));
}

}  // namespace

void bind_effects(nb::module_& m) {
    nb::class_<ParentSetsInterface>(m, "ParentSets")
        .def("add", &add_classes)
        .def("take", &take_rows)
        .def("batch_sums", &sums_of_batches)
        .def("below_shares", &shares_below);
    m.def("parent_sets", &make_parent_sets, nb::arg("n"), nb::arg("causes"), nb::arg("given"), nb::arg("one_row"),
          nb::arg("most_choices"), nb::arg("most_numbers"));
    m.def("student_cdf", &student_cdf);
    m.def("mixture_quantiles", &mixture_quantiles);
}

}  // namespace czz
