// The Python module. The files of this folder convert arguments and results, release the GIL, and adapt scores written
// in Python; class_lists.cpp and effects.cpp also have loops of their own. Input has been checked in Python.
#include "bind/convert.hpp"
#if defined(__GLIBC__)
#include <malloc.h>
#endif

NB_MODULE(_core, m) {
    nanobind::set_leak_warnings(false);  // caches and module-level values may outlive the interpreter
    czz::bind_graphs(m);
    czz::bind_scores(m);
    czz::bind_moves(m);
    czz::bind_chain_values(m);
    czz::bind_chains(m);
    czz::bind_greedy(m);
    czz::bind_exact(m);
    czz::bind_members(m);
    czz::bind_class_lists(m);
    czz::bind_effects(m);
    czz::bind_missing(m);
    czz::bind_ancestral(m);
    czz::bind_testing(m);
    // The allocator of glibc keeps most of the memory of a large chain that has ended.
    m.def("return_memory", [] {
#if defined(__GLIBC__)
        malloc_trim(0);
#endif
    });
}
