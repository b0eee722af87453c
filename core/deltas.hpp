// Differences between classes: a list of pairs of nodes, each with the exclusive or of its marks before and after.
//
// A difference walked back is the difference walked again, and two in a row are one: the lists joined, and cancelled.
#pragma once
#include "cpdag.hpp"

namespace czz {

inline u32 delta(int a, int b, u32 marks) { return u32(pair_index(a, b)) << 2 | marks; }  // a < b

// Sort, and join what stands for the same pair; appends to `out`. Often there are two lists in order, end to end.
inline void cancel(std::vector<u32>& walked, std::vector<u32>& out) {
    const auto second = std::is_sorted_until(walked.begin(), walked.end());
    if (std::is_sorted(second, walked.end())) std::inplace_merge(walked.begin(), second, walked.end());
    else std::sort(walked.begin(), walked.end());
    for (std::size_t i = 0; i < walked.size();) {
        const u32 pair = walked[i] >> 2;
        u32 marks = 0;
        for (; i < walked.size() && walked[i] >> 2 == pair; ++i) marks ^= walked[i] & 3;
        if (marks) out.push_back(pair << 2 | marks);
    }
}

// A class as it was when last looked at, to tell what has changed since.
template <int W>
struct Snapshot {
    std::vector<Bits<W>> pa, ch, ne;
    ClassHash hash;

    explicit Snapshot(int n) : pa(std::size_t(n)), ch(pa), ne(pa) {}

    template <class A>
    void state(A& a) {
        const std::size_t n = pa.size();
        a(pa, ch, ne, hash);
        a.check(pa.size() == n && ch.size() == n && ne.size() == n);
    }
    void clear() { *this = Snapshot(int(pa.size())); }
    // Append the differences of g from the class seen last, the graph without edges at first, and see g. Returns its
    // name.
    const ClassHash& look(const Cpdag<W>& g, std::vector<u32>& out) {
        if (g.hash == hash) return hash;
        hash = g.hash;
        for (int b = 0; b < g.n; ++b) {
            const Bits<W> moved = (pa[b] ^ g.pa[b]) | (ch[b] ^ g.ch[b]) | (ne[b] ^ g.ne[b]);
            if (!moved.any()) continue;
            (moved & Bits<W>::first_n(b)).each([&](int a) {
                const u32 before = ne[b].test(a) ? kLine : pa[b].test(a) ? kForward : ch[b].test(a) ? kBackward : kNone;
                out.push_back(delta(a, b, before ^ g.mark(a, b)));
            });
            pa[b] = g.pa[b];
            ch[b] = g.ch[b];
            ne[b] = g.ne[b];
        }
        return hash;
    }
};

}  // namespace czz
