// The submodule `testing`: what the tests of the package ask of a chain, apart from the interface of the package.
#include "bind/convert.hpp"
#include "sampler/chain_inspection.hpp"

namespace czz {

namespace {

ChainInspection& inspect(ChainInterface& c) { return dynamic_cast<ChainInspection&>(c); }

}  // namespace

void bind_testing(nb::module_& m) {
    nb::module_ testing = m.def_submodule("testing");
    testing.def("events", [](ChainInterface& c) {
        std::vector<std::tuple<int, OperatorTuple, double>> out;
        for (const Event& e : inspect(c).events()) out.emplace_back(e.kind, to_tuple(e.op), e.log_rate);
        return out;
    });
    testing.def("audit", [](ChainInterface& c) { return inspect(c).audit(); });
}

}  // namespace czz
