// The submodule `testing`: what the tests of the package ask of a chain, apart from the interface of the package.
#include "bind/convert.hpp"
#include "missing/discrete_table.hpp"
#include "sampler/chain_inspection.hpp"
#include "sampler/excursions/excursions.hpp"
#include "sampler/excursions/region_excursions.hpp"

namespace czz {

namespace {

ChainInspection& inspect(ChainInterface& c) { return dynamic_cast<ChainInspection&>(c); }

}  // namespace

// What an excursion is made of, piece by piece, so that a test can write down its transition matrix.
class ExcursionPieces {
    Excursions excursions_;

  public:
    ExcursionPieces(std::shared_ptr<OrderTables> tables, EdgePrior prior, int max_degree, bool knowledge)
        : excursions_({std::move(tables), nullptr, 0, 0, 0, 0}, std::move(prior), max_degree, knowledge) {}

    // Of each node: how many candidates take part, which of them are parents, and the fixed parents.
    std::vector<std::tuple<int, u32, std::vector<int>>> parts(const Lists& parents) {
        std::vector<std::tuple<int, u32, std::vector<int>>> out;
        for (const OrderWalk::Part& p : all_parts(parents)) out.emplace_back(p.table->size(), p.parents, p.fixed);
        return out;
    }
    std::vector<double> place_weights(const Lists& parents, std::vector<int> order, int first, int last, int at) {
        OrderWalk walk(excursions_.settings().tables);
        walk.parts = all_parts(parents);
        walk.begin(std::move(order), first, last);
        return walk.place_weights(at);
    }
    // The log probability of drawing each set of candidates of a node, given those that come before it.
    std::vector<double> parent_log_probabilities(const Lists& parents, int v, u32 before) {
        const auto part = excursions_.part_of(v, parents[std::size_t(v)]);
        const ParentTable& table = *part.table;
        std::vector<double> out(std::size_t(1) << table.size(), kMinusInf);
        if (out.size() == 1) return {0.0};  // nothing to choose
        for (u32 S = 0; S < out.size(); ++S)
            if ((S & ~before) == 0) out[S] = table.log_weight(S) - table.log_sum(before);
        return out;
    }
    double log_order_probability(const Lists& parents, const std::vector<int>& order) {
        return Excursions::log_order_probability(parents, order);
    }
    double log_target_ratio(const Lists& before, const Lists& after) {
        return excursions_.log_target_ratio(before, after);
    }
    double log_size(const Lists& arrows, const Lists& lines) { return excursions_.log_size({arrows, lines}); }

  private:
    std::vector<OrderWalk::Part> all_parts(const Lists& parents) {
        std::vector<OrderWalk::Part> parts;
        for (std::size_t v = 0; v < parents.size(); ++v) parts.push_back(excursions_.part_of(int(v), parents[v]));
        return parts;
    }
};

void bind_testing(nb::module_& m) {
    nb::module_ testing = m.def_submodule("testing");
    testing.def("events", [](ChainInterface& c) {
        std::vector<std::tuple<int, OperatorTuple, double>> out;
        for (const Event& e : inspect(c).events()) out.emplace_back(e.kind, to_tuple(e.op), e.log_rate);
        return out;
    });
    nb::class_<ExcursionPieces>(testing, "ExcursionPieces")
        .def(nb::init<std::shared_ptr<OrderTables>, EdgePrior, int, bool>(), nb::arg("tables"), nb::arg("prior"),
             nb::arg("max_degree"), nb::arg("knowledge") = false)
        .def("parts", &ExcursionPieces::parts)
        .def("place_weights", &ExcursionPieces::place_weights)
        .def("parent_log_probabilities", &ExcursionPieces::parent_log_probabilities)
        .def("log_order_probability", &ExcursionPieces::log_order_probability)
        .def("log_target_ratio", &ExcursionPieces::log_target_ratio)
        .def("log_size", &ExcursionPieces::log_size);
    nb::class_<RegionExcursions>(testing, "RegionPieces")
        .def(
            "__init__",
            [](RegionExcursions* r, std::shared_ptr<Regions> regions, EdgePrior prior, int max_degree, bool knowledge) {
                new (r) RegionExcursions({nullptr, std::move(regions), 0, 0, 0, 0}, std::move(prior), max_degree,
                                         knowledge);
            })
        .def("enter", [](RegionExcursions& r, int region,
                         const Lists& parents) { r.enter(region, {parents, Lists(parents.size())}); })
        .def("log_order_probability", &RegionExcursions::log_order_probability)
        .def("log_parents_probability", &RegionExcursions::log_parents_probability)
        .def("log_extensions",
             [](RegionExcursions& r, const Lists& parents) {
                 Lists own;
                 for (int v : r.nodes()) own.push_back(parents[std::size_t(v)]);
                 return r.log_extensions(own);
             })
        .def("log_target_ratio", &RegionExcursions::log_target_ratio)
        .def("log_size",
             [](RegionExcursions& r, const Lists& arrows, const Lists& lines) { return r.log_size({arrows, lines}); });
    testing.def("group_weights", [](CompletedTable& table, const Lists& parents, std::size_t incomplete_row) {
        return dynamic_cast<DiscreteTable&>(table).group_weights(parents, incomplete_row);
    });
    testing.def("list_operators", [](ChainInterface& c) { inspect(c).list_operators(); });
    testing.def("audit", [](ChainInterface& c) { return inspect(c).audit().first; });
    testing.def("audit_figures", [](ChainInterface& c) {
        const Audit audit = inspect(c).audit();
        return std::make_tuple(audit.comparisons, audit.differences, audit.first);
    });
    testing.def("set_score", [](ChainInterface& c, std::shared_ptr<Score> score, double value) {
        inspect(c).set_score(std::move(score), value);
    });
    testing.def("set_interval",
                [](ChainInterface& c, double log2_interval) { inspect(c).set_interval(log2_interval); });
    testing.def("finish_interval",
                [](ChainInterface& c, double seconds) { return inspect(c).finish_interval(time_in(seconds)); });
    testing.def("replace", [](ChainInterface& c, const Graph& graph) { inspect(c).replace(graph); });
}

}  // namespace czz
