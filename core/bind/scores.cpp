// The scores of the core for Python, and scores written in Python for the core.
#include "bind/convert.hpp"
#include "scores/blocks.hpp"
#include "scores/discrete.hpp"
#include "scores/gaussian.hpp"

namespace czz {

namespace {

using Codes = nb::ndarray<const u16, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A score written in Python. Chains run without the GIL and acquire it for each call; exceptions are passed on.
class PythonScore final : public Score {
    int n_;
    nb::object local_, row_;

    struct Kernel final : RowKernel {
        const PythonScore& s;
        explicit Kernel(const PythonScore& score) : s(score) {}
        void row(int y, const std::vector<int>& parents, double* difference) override {
            nb::gil_scoped_acquire gil;
            const auto row = nb::cast<Vector>(s.row_(y, parents));
            std::copy_n(row.data(), s.n_, difference);
            std::fill_n(difference + s.n_, (8 - s.n_ % 8) % 8, 0.0);
        }
    };

  public:
    PythonScore(int n, nb::object local, nb::object row) : n_(n), local_(std::move(local)), row_(std::move(row)) {}
    int n() const override { return n_; }
    double local(int y, const std::vector<int>& parents) const override {
        nb::gil_scoped_acquire gil;
        return nb::cast<double>(local_(y, parents));
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }
    bool expensive_rows() const override { return true; }
};

}  // namespace

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
    using Made = std::shared_ptr<Score>;
    m.def("gaussian_score",
          [](const Matrix& correlation, const Vector& log_scale, const Vector& h, const Vector& c, double d) -> Made {
              return std::make_shared<Gaussian>(int(correlation.shape(0)), correlation.data(), log_scale.data(),
                                                h.data(), c.data(), d);
          });
    m.def("block_score",
          [](std::vector<int> begin, const Matrix& correlation, const Vector& log_scale, double h, double slope,
             const Vector& c, double penalty) -> Made {
              return std::make_shared<Blocks>(std::move(begin), correlation.data(), log_scale.data(), h, slope,
                                              c.data(), penalty);
          });
    m.def("discrete_score",
          [](std::vector<int> levels, const Codes& codes, std::vector<int> weights, double sample_size,
             double penalty) -> Made {
              return std::make_shared<Discrete>(std::move(levels), codes.shape(1), codes.data(), std::move(weights),
                                                sample_size, penalty);
          });
    m.def("python_score", [](int n, nb::object local, nb::object row) -> Made {
        return std::make_shared<PythonScore>(n, std::move(local), std::move(row));
    });
}

}  // namespace czz
