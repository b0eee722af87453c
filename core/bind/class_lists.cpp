// Lists of classes for Python: what holds in each of them, and their matrices.
#include "../class_walk.hpp"
#include "convert.hpp"

namespace czz {

namespace {

// The marks of one pair: along the records, each after the one it differs from.
auto pair_marks(const Offsets& from, const Begins& begin, const Deltas& deltas, u32 pair) {
    std::vector<std::uint8_t> marks(from.size());
    {
        nb::gil_scoped_release nogil;
        for (std::size_t i = 0; i < marks.size(); ++i) {
            std::uint8_t mark = from(i) < 0 ? 0 : marks[std::size_t(from(i))];
            for (u64 k = begin(i); k < begin(i + 1); ++k)
                if (deltas(k) >> 2 == pair) mark ^= deltas(k) & 3;
            marks[i] = mark;
        }
    }
    return to_numpy(std::move(marks));
}

enum class Relation { kPath, kPossiblyAbove, kCertainlyAbove };

auto relation(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, int kind, int a, int b) {
    std::vector<std::uint8_t> holds(from.size());
    {
        nb::gil_scoped_release nogil;
        walk_classes(n, records_of(from, begin, deltas), [&](std::size_t i, WalkedGraph& g) {
            holds[i] = Relation(kind) == Relation::kCertainlyAbove
                           ? g.certainly_above(a, b)
                           : g.reaches(a, b, Relation(kind) == Relation::kPossiblyAbove);
        });
    }
    return to_numpy(std::move(holds));
}

// The matrices of the records that have a place (not -1) in the output, which is zero.
void decode_classes(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, const Offsets& place,
                    const nb::ndarray<std::uint8_t, nb::ndim<3>, nb::c_contig, nb::device::cpu>& out) {
    const std::size_t size = std::size_t(n) * std::size_t(n);
    std::uint8_t* data = out.data();
    nb::gil_scoped_release nogil;
    walk_classes(n, records_of(from, begin, deltas), [&](std::size_t i, WalkedGraph& g) {
        if (place(i) < 0) return;
        std::uint8_t* matrix = data + std::size_t(place(i)) * size;
        for (int v = 0; v < n; ++v)
            g.each_out(v, [&](int w) { matrix[std::size_t(v) * std::size_t(n) + std::size_t(w)] = 1; });
    });
}

}  // namespace

void bind_class_lists(nb::module_& m) {
    m.def("pair_marks", &pair_marks);
    m.def("relation", &relation);
    m.def("decode_classes", &decode_classes);
}

}  // namespace czz
