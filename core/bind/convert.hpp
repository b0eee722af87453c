// Conversions shared by the files of the Python module: arrays, operators and flaws as tuples.
#pragma once
#include "graph/record_walk.hpp"
#include "sampler/chain_interface.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

namespace czz {

namespace nb = nanobind;

using ByteMatrix = nb::ndarray<const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using Seed = nb::ndarray<const u64, nb::shape<4>, nb::c_contig, nb::device::cpu>;
using Offsets = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Begins = nb::ndarray<const u64, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Deltas = nb::ndarray<const u32, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using OperatorTuple = std::tuple<bool, int, int, std::vector<int>>;
using FlawTuple = std::tuple<std::string, std::vector<int>>;
using Graph = const GraphInterface;

inline OperatorTuple to_tuple(const PlainOperator& op) { return {op.insert, op.x, op.y, op.tails_or_heads}; }
inline FlawTuple to_tuple(const Flaw& f) { return {f.kind, f.nodes}; }
inline Rng to_rng(const Seed& seed) { return {{seed(0), seed(1), seed(2), seed(3)}}; }

inline Records records_of(const Offsets& from, const Begins& begin, const Deltas& deltas) {
    return {from.size(), from.data(), begin.data(), deltas.data()};
}

template <class T>
nb::ndarray<nb::numpy, T> to_numpy(std::vector<T> v) {
    const std::size_t size = v.size();
    v.reserve(1);  // numpy requires an address even for an empty array
    auto* data = new std::vector<T>(std::move(v));
    nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T>(data->data(), {size}, owner);
}

template <class F>
nb::ndarray<nb::numpy, std::uint8_t> square(int n, F&& fill) {
    auto* data = new std::vector<std::uint8_t>(std::size_t(n) * n + 1);
    nb::capsule owner(data, [](void* p) noexcept { delete static_cast<std::vector<std::uint8_t>*>(p); });
    fill(data->data());
    return nb::ndarray<nb::numpy, std::uint8_t>(data->data(), {std::size_t(n), std::size_t(n)}, owner);
}

// One function per file of this folder.
void bind_ancestral(nb::module_& m);
void bind_graphs(nb::module_& m);
void bind_scores(nb::module_& m);
void bind_moves(nb::module_& m);
void bind_chain_values(nb::module_& m);
void bind_chains(nb::module_& m);
void bind_greedy(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_members(nb::module_& m);
void bind_class_lists(nb::module_& m);
void bind_effects(nb::module_& m);
void bind_missing(nb::module_& m);
void bind_testing(nb::module_& m);

// Calls f without the interpreter's lock. An E that it throws becomes an OverflowError with the arguments in the tuple
// that arguments(e) returns.
template <class E, class A, class F>
auto with_overflow_error(A&& arguments, F&& f) {
    try {
        nb::gil_scoped_release nogil;
        return f();
    } catch (const E& e) {
        nb::tuple told = arguments(e);
        PyErr_SetObject(PyExc_OverflowError, told.ptr());
        throw nb::python_error();
    }
}

}  // namespace czz
