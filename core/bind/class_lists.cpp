// Lists of classes for Python: queries over all of them, and their graphs.
#include "bind/convert.hpp"
#include "graph/class_dag.hpp"
#include "graph/listed_graph.hpp"

namespace czz {

namespace {

using Bytes = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The marks of one pair in all records; a record comes after the one it differs from.
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

enum class Relation {
    kPath,
    kPossiblyAbove,
    kCertainlyAbove,
    kBlanket,
    kPossiblyAboveOriented,
    kCertainlyAboveOriented
};

bool holds_in(WalkedGraph& g, Relation kind, int a, int b) {
    switch (kind) {
    case Relation::kPath:
        return g.reaches(a, b, false);
    case Relation::kPossiblyAbove:
        return g.reaches(a, b, true);
    case Relation::kCertainlyAbove:
        return g.certainly_above(a, b);
    case Relation::kPossiblyAboveOriented:
        return g.possibly_above_oriented(a, b);
    case Relation::kCertainlyAboveOriented:
        return g.certainly_above_oriented(a, b);
    case Relation::kBlanket:
        break;
    }
    return g.in_blanket(a, b);
}

template <class F>
auto in_each(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, F&& holds) {
    std::vector<std::uint8_t> in(from.size());
    {
        nb::gil_scoped_release nogil;
        walk_classes(n, records_of(from, begin, deltas), [&](std::size_t i, WalkedGraph& g) { in[i] = holds(g); });
    }
    return to_numpy(std::move(in));
}

auto relation(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, int kind, int a, int b) {
    return in_each(n, from, begin, deltas, [&](WalkedGraph& g) { return holds_in(g, Relation(kind), a, b); });
}

auto separated(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, int a, int b,
               const std::vector<int>& given) {
    return in_each(n, from, begin, deltas, [&](WalkedGraph& g) { return g.separated(a, b, given); });
}

auto sums_by_batch(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, const Vector& values,
                   const Deltas& batch, const Offsets& pairs, std::size_t batches) {
    std::vector<double> sums(3 * batches * pairs.size());
    {
        nb::gil_scoped_release nogil;
        std::vector<std::int64_t> column(pair_index(0, std::max(1, n)), -1);
        for (std::size_t c = 0; c < pairs.size(); ++c) column[std::size_t(pairs(c))] = std::int64_t(c);
        batch_sums(records_of(from, begin, deltas), values.data(), batch.data(), column, pairs.size(), sums.data());
    }
    return to_numpy(std::move(sums));
}

// Whether the records lead to classes with these hashes, two numbers each.
bool hashes_match(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, const Begins& hashes) {
    nb::gil_scoped_release nogil;
    std::vector<std::uint8_t> marks(pair_index(0, std::max(1, n)));
    ClassHash hash;
    bool match = true;
    walk_records(
        records_of(from, begin, deltas),
        [&](u64 pair, std::uint8_t change) {
            hash.toggle(pair, Mark(marks[pair]));
            hash.toggle(pair, Mark(marks[pair] ^= change));
        },
        [&](std::size_t i) { match = match && hash == ClassHash{hashes(2 * i), hashes(2 * i + 1)}; });
    return match;
}

// Whether the records, of which only each ``every``-th is looked at, are CPDAGs.
bool are_classes(int n, const Offsets& from, const Begins& begin, const Deltas& deltas, std::size_t every) {
    nb::gil_scoped_release nogil;
    bool valid = true;
    walk_classes(n, records_of(from, begin, deltas), [&](std::size_t i, WalkedGraph& g) {
        valid = valid && (i % every != 0 || ListedGraph(n, g).is_class());
    });
    return valid;
}

auto parents_in_dags(int n, const std::vector<GraphPtr>& graphs) {
    const std::size_t size = std::size_t(n) * ((std::size_t(n) + 7) / 8);
    std::vector<std::uint8_t> rows(size * graphs.size());
    {
        nb::gil_scoped_release nogil;
        for (std::size_t i = 0; i < graphs.size(); ++i) dag_parents(*graphs[i], rows.data() + i * size);
    }
    return to_numpy(std::move(rows));
}

// The selected classes of a list, each with its number, in the order of a walk through all of them.
class ClassCursor {
  public:
    ClassCursor(int n, Offsets from, Begins begin, Deltas deltas, Bytes wanted)
        : n_(n), from_(std::move(from)), begin_(std::move(begin)), deltas_(std::move(deltas)),
          wanted_(std::move(wanted)), walk_(records_of(from_, begin_, deltas_)), graph_(n) {}

    auto take(std::size_t at_most) {
        std::vector<std::int64_t> numbers;
        std::vector<GraphPtr> graphs;
        {
            nb::gil_scoped_release nogil;
            while (graphs.size() < at_most) {
                const auto i = walk_.next([&](u64 pair, std::uint8_t change) { graph_.toggle(pair, change); });
                if (i < 0) break;
                if (!wanted_(std::size_t(i))) continue;
                numbers.push_back(i);
                graphs.push_back(std::make_shared<ListedGraph>(n_, graph_));
            }
        }
        return std::pair(to_numpy(std::move(numbers)), std::move(graphs));
    }

  private:
    int n_;
    Offsets from_;
    Begins begin_;
    Deltas deltas_;
    Bytes wanted_;
    RecordWalk walk_;
    WalkedGraph graph_;
};

}  // namespace

void bind_class_lists(nb::module_& m) {
    m.def("pair_marks", &pair_marks);
    m.def("hashes_match", &hashes_match);
    m.def("are_classes", &are_classes);
    m.def("relation", &relation);
    m.def("separated", &separated);
    m.def("batch_sums", &sums_by_batch);
    m.def("dag_parents", &parents_in_dags);
    nb::class_<ClassCursor>(m, "ClassCursor")
        .def(nb::init<int, Offsets, Begins, Deltas, Bytes>())
        .def("take", &ClassCursor::take);
}

}  // namespace czz
