// What is known about arrows before the data are seen: arrows that are forbidden, and arrows that are required.
//
// A DAG agrees with it if it has every required arrow and no forbidden one; a class agrees if one of its DAGs does.
#pragma once
#include "base/bit_matrix.hpp"
#include <utility>

namespace czz {

using Pairs = std::vector<std::pair<int, int>>;

// Tiers and pairs that are never joined are forbidden arrows. If required arrows lead from x to y, y -> x would close a
// cycle, so it counts as forbidden too.
class ArrowKnowledge {
    int n_;
    Pairs required_;
    BitMatrix barred_, needed_;  // row y has bit x where x -> y is forbidden, required

    static void set(BitMatrix& m, int i, int j) {
        if (!m.test(i, j)) m.flip(i, j);
    }

  public:
    // The required arrows have no cycle, and none of them is forbidden.
    ArrowKnowledge(int n, const Pairs& forbidden, Pairs required)
        : n_(n), required_(std::move(required)), barred_(n), needed_(n) {
        for (auto [x, y] : forbidden) set(barred_, y, x);
        std::vector<std::vector<int>> children(static_cast<std::size_t>(n));
        for (auto [x, y] : required_) {
            set(needed_, y, x);
            children[std::size_t(x)].push_back(y);
        }
        for (int x = 0; x < n; ++x) {
            std::vector<char> seen(static_cast<std::size_t>(n));
            for (std::vector<int> todo = children[std::size_t(x)]; !todo.empty();) {
                const int y = todo.back();
                todo.pop_back();
                if (seen[std::size_t(y)]) continue;
                seen[std::size_t(y)] = 1;
                set(barred_, x, y);
                todo.insert(todo.end(), children[std::size_t(y)].begin(), children[std::size_t(y)].end());
            }
        }
    }
    int n() const { return n_; }
    const Pairs& required() const { return required_; }
    bool is_barred(int x, int y) const { return barred_.test(y, x); }
    bool is_required(int x, int y) const { return needed_.test(y, x); }
    const BitMatrix& barred() const { return barred_; }
    const BitMatrix& needed() const { return needed_; }
};

// The same as sets of one width.
template <int W>
struct ArrowRows {
    using B = Bits<W>;
    std::vector<B> barred_in, barred_out, needed_in;  // x -> y is forbidden: x in barred_in[y], y in barred_out[x]

    explicit ArrowRows(const ArrowKnowledge& a)
        : barred_in(static_cast<std::size_t>(a.n())), barred_out(barred_in), needed_in(barred_in) {
        for (int y = 0; y < a.n(); ++y) {
            a.barred().each(y, [&](int x) {
                barred_in[std::size_t(y)].set(x);
                barred_out[std::size_t(x)].set(y);
            });
            a.needed().each(y, [&](int x) { needed_in[std::size_t(y)].set(x); });
        }
    }
};

}  // namespace czz
