// Differences between classes: a list of pairs of nodes, each with the exclusive or of its marks before and after.
//
// The difference from a to b is also that from b to a, and the differences from a to b and from b to c, joined and
// cancelled, are that from a to c.
#pragma once
#include "graph/cpdag.hpp"

namespace czz {

inline u32 delta(int a, int b, u32 marks) { return u32(pair_index(a, b)) << 2 | marks; }  // a < b

// Sorts the differences, combines those of the same pair, and appends them to `out`. Mostly `walked` consists of one or
// two sorted lists.
inline void cancel(std::vector<u32>& walked, std::vector<u32>& out) {
    auto a = walked.begin(), middle = std::is_sorted_until(a, walked.end()), b = middle;
    if (!std::is_sorted(middle, walked.end())) {
        std::sort(a, walked.end());
        b = middle = walked.end();
    }
    const std::size_t before = out.size();
    auto add = [&](u32 d) {
        if (out.size() == before || out.back() >> 2 != d >> 2) {
            out.push_back(d);
        } else if ((out.back() ^= d & 3) % 4 == 0) {
            out.pop_back();
        }
    };
    while (a != middle && b != walked.end()) add(*b < *a ? *b++ : *a++);
    while (a != middle) add(*a++);
    while (b != walked.end()) add(*b++);
}

// A copy of a class, from which the changes since then are found.
template <int W>
struct Snapshot {
    std::vector<Bits<W>> pa, ch, ne;
    ClassHash hash;
    Bits<W> touched;  // the nodes b of pairs a < b that may have changed since

    explicit Snapshot(int n) : pa(std::size_t(n)), ch(pa), ne(pa), touched(Bits<W>::first_n(n)) {}

    template <class A>
    void state(A& a) {
        const std::size_t n = pa.size();
        a(pa, ch, ne, hash, touched);
        a.check(pa.size() == n && ch.size() == n && ne.size() == n && subset(touched, Bits<W>::first_n(int(n))));
    }
    void clear() { *this = Snapshot(int(pa.size())); }
    // Appends the differences of g from the copy, which begins as the graph without edges, and copies g. Returns the
    // hash of g.
    const ClassHash& append_changes(const Cpdag<W>& g, std::vector<u32>& out) {
        if (g.hash == hash) return hash;
        hash = g.hash;
        touched.each([&](int b) {
            const Bits<W> moved = (pa[b] ^ g.pa[b]) | (ch[b] ^ g.ch[b]) | (ne[b] ^ g.ne[b]);
            if (!moved.any()) return;
            (moved & Bits<W>::first_n(b)).each([&](int a) {
                const u32 before = ne[b].test(a) ? kLine : pa[b].test(a) ? kForward : ch[b].test(a) ? kBackward : kNone;
                out.push_back(delta(a, b, before ^ g.mark(a, b)));
            });
            pa[b] = g.pa[b];
            ch[b] = g.ch[b];
            ne[b] = g.ne[b];
        });
        touched.clear();
        return hash;
    }
};

}  // namespace czz
