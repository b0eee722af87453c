// What tests ask of a chain beyond its public interface; bound in the submodule `testing` only.
#pragma once
#include "graph/graph_interface.hpp"

namespace czz {

struct Event {  // one way to leave the present state
    int kind;   // +1 insert, -1 delete, 0 flip
    PlainOperator op;
    double log_rate;
};

struct ChainInspection {
    virtual ~ChainInspection() = default;
    virtual std::vector<Event> events() = 0;
    virtual void list_operators() = 0;
    // Compares the incrementally updated state with one built from scratch; returns the first difference, or "".
    virtual std::string audit() = 0;
};

}  // namespace czz
