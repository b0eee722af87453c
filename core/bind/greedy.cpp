// Greedy search for Python.
#include "bind/convert.hpp"
#include "graph/operators.hpp"
#include "search/greedy_interface.hpp"

namespace czz {

namespace {

using StepTuple = std::tuple<OperatorTuple, double>;

template <class F>
auto with_limits(F&& f) {  // names the node and the size of the clique
    return with_overflow_error<TooDense>([](const TooDense& e) { return nb::make_tuple(e.node, e.clique); }, f);
}

}  // namespace

void bind_greedy(nb::module_& m) {
    nb::class_<GreedyInterface>(m, "Greedy")
        .def("run", [](GreedyInterface& s, int phase,
                       double seconds) { return with_limits([&] { return s.run(Phase(phase), seconds); }); })
        .def("steps",
             [](const GreedyInterface& s) {
                 std::vector<StepTuple> out;
                 for (const PlainStep& step : s.steps()) out.emplace_back(to_tuple(step.op), step.gain);
                 return out;
             })
        .def("graph", &GreedyInterface::graph);
    m.def(
        "make_greedy",
        [](std::shared_ptr<Graph> start, std::shared_ptr<Score> score, EdgePrior prior, int max_degree, Pairs forbidden,
           std::shared_ptr<ArrowKnowledge> arrows) {
            GreedySettings s;
            s.score = std::move(score);
            s.prior = std::move(prior);
            s.max_degree = max_degree;
            s.forbidden = std::move(forbidden);
            s.arrows = std::move(arrows);
            return with_limits([&] { return make_greedy(*start, s); });
        },
        nb::arg("start"), nb::arg("score"), nb::arg("prior"), nb::arg("max_degree"), nb::arg("forbidden"),
        nb::arg("arrows").none() = nb::none());
}

}  // namespace czz
