// The scores of the core for Python, and scores written in Python for the core.
#include "bind/convert.hpp"
#include "scores/additive_gp.hpp"
#include "scores/blocks.hpp"
#include "scores/discrete.hpp"
#include "scores/interventional.hpp"

namespace czz {

namespace {

using Codes = nb::ndarray<const u16, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// A score written in Python. Chains run without the GIL and acquire it for each call; exceptions are passed on.
class PythonScore final : public Score {
    int n_;
    nb::object local_, row_;
    bool own_row_;

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
    PythonScore(int n, nb::object local, nb::object row, bool own_row)
        : n_(n), local_(std::move(local)), row_(std::move(row)), own_row_(own_row) {}
    int n() const override { return n_; }
    double local(int y, const std::vector<int>& parents) const override {
        nb::gil_scoped_acquire gil;
        return nb::cast<double>(local_(y, parents));
    }
    std::unique_ptr<RowKernel> kernel() const override { return std::make_unique<Kernel>(*this); }
    bool expensive_rows() const override { return true; }
    bool rows_are_of_locals() const override { return !own_row_; }
};

// A set function written in Python, which is called with many sets at once.
class PythonSetFunction final : public SetFunction {
    nb::object function_;

    std::vector<double> compute(const std::vector<NodeSet>& sets) const override {
        nb::gil_scoped_acquire gil;
        return nb::cast<std::vector<double>>(function_(sets));
    }

  public:
    PythonSetFunction(int n, nb::object function) : SetFunction(n), function_(std::move(function)) {}
};

template <class Of>
std::shared_ptr<Score> make_interventional(int n, std::vector<int> conditions, const std::vector<bool>& sets,
                                           std::vector<int> levels, std::vector<std::vector<int>> cells, Of of_groups) {
    const auto shared = std::make_shared<const Of>(std::move(of_groups));
    return std::make_shared<Interventional>(
        n, std::move(conditions), std::vector<char>(sets.begin(), sets.end()), std::move(levels), std::move(cells),
        [shared](const auto& variables, const auto& of, double share) { return (*shared)(variables, of, share); },
        [shared](const auto& of) { return shared->bytes(of); });
}

// Calls f with the weights of rows: whole numbers, of which a score counts faster, or others.
template <class F>
std::shared_ptr<Score> with_weights(const std::vector<double>& weights, F&& f) {
    std::vector<int> counts(weights.begin(), weights.end());
    const bool whole = std::equal(counts.begin(), counts.end(), weights.begin());
    return whole ? f(std::move(counts)) : f(weights);
}

std::vector<double> numbers(const Matrix& matrix) { return {matrix.data(), matrix.data() + matrix.size()}; }

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
    m.def("bge_score",
          [](const std::vector<int>& begin, const Matrix& correlation, const Vector& log_scale, double rows,
             double alpha_mu, double alpha_w, double scale) -> Made {
              const NormalWishart prior{correlation.shape(0), alpha_mu, alpha_w, scale};
              return bge_score(begin, correlation.data(), log_scale.data(), rows, prior);
          });
    m.def("discrete_score",
          [](std::vector<int> levels, const Codes& codes, const std::vector<double>& weights, double sample_size,
             double penalty) -> Made {
              return with_weights(weights, [&](auto own) -> Made {
                  return std::make_shared<DiscreteOf<typename decltype(own)::value_type>>(
                      std::move(levels), codes.shape(1), codes.data(), std::move(own), sample_size, penalty);
              });
          });
    using Gram = std::tuple<std::vector<int>, std::vector<bool>, Matrix, Matrix>;
    using Choice = std::tuple<int, double, double>;
    m.def("additive_gp_score",
          [](std::vector<int> begin, const Matrix& YY, const std::vector<Gram>& grams,
             const std::vector<Choice>& choices, double rows, int most) -> Made {
              std::vector<FeatureGrams> features;
              for (const auto& [first, linear, ZZ, ZY] : grams)
                  features.push_back({first, {linear.begin(), linear.end()}, numbers(ZZ), numbers(ZY)});
              std::vector<FeatureChoice> chosen;
              for (const auto& [which, linear, other] : choices) chosen.push_back({which, linear, other});
              return std::make_shared<AdditiveGP>(std::move(begin), numbers(YY), std::move(features), std::move(chosen),
                                                  rows, most);
          });
    m.def("interventional_bge",
          [](int n, std::vector<int> conditions, const std::vector<bool>& sets, std::vector<int> levels,
             std::vector<std::vector<int>> cells, std::vector<double> rows, const Matrix& sums, const Matrix& products,
             double alpha_mu, double alpha_w, double prior) -> Made {
              return make_interventional(
                  n, std::move(conditions), sets, std::move(levels), std::move(cells),
                  BgeOfGroups{
                      {sums.shape(1), alpha_mu, alpha_w, prior}, std::move(rows), numbers(sums), numbers(products)});
          });
    m.def("interventional_bdeu",
          [](int n, std::vector<int> conditions, const std::vector<bool>& sets, std::vector<int> levels,
             std::vector<std::vector<int>> cells, std::vector<int> variable_levels, const Codes& codes,
             const std::vector<double>& weights, const std::vector<int>& cell_of, double sample_size) -> Made {
              std::vector<std::vector<std::size_t>> rows_of(cells.size());
              for (std::size_t i = 0; i < cell_of.size(); ++i) rows_of[std::size_t(cell_of[i])].push_back(i);
              return with_weights(weights, [&](auto own) {
                  BdeuOfGroups<typename decltype(own)::value_type> groups{std::move(variable_levels),
                                                                          {codes.data(), codes.data() + codes.size()},
                                                                          std::move(own),
                                                                          std::move(rows_of),
                                                                          sample_size};
                  return make_interventional(n, std::move(conditions), sets, std::move(levels), std::move(cells),
                                             std::move(groups));
              });
          });
    m.def("python_set_function", [](int n, nb::object function) -> Made {
        return std::make_shared<PythonSetFunction>(n, std::move(function));
    });
    m.def("python_score", [](int n, nb::object local, nb::object row, bool own_row) -> Made {
        return std::make_shared<PythonScore>(n, std::move(local), std::move(row), own_row);
    });
}

}  // namespace czz
