// Markov equivalence of MAGs: a key of the class, and the members of a class.
#pragma once
#include "ancestral/mag.hpp"
#include <unordered_set>
#include <vector>

namespace czz {

// Whether the set is parametrizing, that is, a head together with some of its tail (Evans & Richardson 2014). Its head
// are then the nodes without descendants in the set; they lie in one district among their ancestors, and the tail is
// the rest of that district and its parents.
inline bool is_parametrizing(const Mag& g, MagSet set) {
    MagSet head = 0, above = 0;
    each_node(set, [&](int v) {
        if ((g.descendants[Mag::at(v)] & set) == only(v)) head |= only(v), above |= g.ancestors[Mag::at(v)];
    });
    const MagSet district = g.district(std::countr_zero(head), above);
    if (head & ~district) return false;
    MagSet tail = district & ~head;
    each_node(district, [&](int v) { tail |= g.parents[Mag::at(v)]; });
    return !(set & ~head & ~tail);
}

// Equal for Markov equivalent MAGs: a hash of the adjacencies and the parametrizing sets of three nodes, which decide
// equivalence (Hu & Evans 2020). Three nodes that no edge joins are never parametrizing.
inline u64 class_key(const Mag& g) {
    u64 hash = 0x9E3779B97F4A7C15ull;
    for (int v = 0; v < g.n; ++v) hash = add_to_hash(hash, g.adjacent(v), v);
    for (int a = 0; a < g.n; ++a)
        for (int b = a + 1; b < g.n; ++b) {
            const bool joined = g.adjacent(a) >> b & 1;
            const MagSet third = (joined ? g.all() : g.adjacent(a) | g.adjacent(b)) & ~up_to(b);
            MagSet found = 0;
            each_node(third, [&](int c) {
                if (is_parametrizing(g, only(a) | only(b) | only(c))) found |= only(c);
            });
            if (found) hash = add_to_hash(hash, u64(found) | u64(a) << 40 | u64(b) << 50, b);
        }
    return hash;
}

// The members of the class of g, at most `most`. Changes of single marks connect a class (Zhang & Spirtes 2005).
inline std::vector<Mag> class_members(const Mag& g, std::size_t most) {
    std::vector<Mag> members{g};
    std::unordered_set<u64> seen{g.name()};
    const u64 key = class_key(g);
    for (std::size_t i = 0; i < members.size(); ++i)
        for (int x = 0; x < g.n; ++x)
            for (int y = x + 1; y < g.n; ++y)
                for (const PairState to : {kForth, kBack, kSpouses}) {
                    const PairState from = members[i].state(x, y);
                    if (from == kApart || from == to) continue;
                    Mag h = members[i];
                    if (!h.change(x, y, to) || class_key(h) != key || !seen.insert(h.name()).second) continue;
                    if (members.size() == most) return members;
                    members.push_back(h);
                }
    return members;
}

}  // namespace czz
