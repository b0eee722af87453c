// Exact moves written in Python.
#include "bind/convert.hpp"

namespace czz {

namespace {

// Chains run without the GIL and acquire it for each move; exceptions are passed on.
class PythonMove final : public Move {
    double log2_rate_;
    nb::object make_;

  public:
    PythonMove(double log2_rate, nb::object make) : log2_rate_(log2_rate), make_(std::move(make)) {}
    double log2_rate() const override { return log2_rate_; }
    std::optional<double> make(ChainView& chain, Rng& rng) override {
        nb::gil_scoped_acquire gil;
        const ClassLists& here = chain.here();
        const nb::object found = make_(here.arrows, here.lines, to_numpy(std::vector<u64>{rng(), rng(), rng(), rng()}));
        if (found.is_none()) return {};
        const auto [parents, order, difference] = nb::cast<std::tuple<Lists, std::vector<int>, double>>(found);
        chain.there(parents, order);
        return difference;
    }
};

}  // namespace

void bind_moves(nb::module_& m) {
    nb::class_<Move>(m, "Move");
    m.def(
        "python_move",
        [](double log2_rate, nb::object make) -> std::shared_ptr<Move> {
            return std::make_shared<PythonMove>(log2_rate, std::move(make));
        },
        nb::arg("log2_rate"), nb::arg("make"));
}

}  // namespace czz
