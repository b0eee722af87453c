// Scores for Python.
#include "../scores/gaussian.hpp"
#include "convert.hpp"

namespace czz {

void bind_scores(nb::module_& m) {
    nb::class_<Score>(m, "Score")
        .def_prop_ro("n", &Score::n)
        .def("local", &Score::local)
        .def("row", [](const Score& s, int y, const std::vector<int>& parents) {
            std::vector<double> row(std::size_t(s.n() + 7) / 8 * 8);
            s.kernel()->row(y, parents, row.data());
            row.resize(std::size_t(s.n()));
            return to_numpy(std::move(row));
        });
    m.def("gaussian", [](const Matrix& correlation, const Vector& log_variance, double samples, double penalty) {
        return std::shared_ptr<Score>(std::make_shared<Gaussian>(int(correlation.shape(0)), correlation.data(),
                                                                 log_variance.data(), samples, penalty));
    });
}

}  // namespace czz
