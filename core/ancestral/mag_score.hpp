// Scores of MAGs: a sum over districts, each with its parents.
#pragma once
#include "ancestral/mag.hpp"

namespace czz {

class MagScore {
    const int n_;
    const double offset_;  // added to every total

  public:
    MagScore(int n, double offset) : n_(n), offset_(offset) {}
    MagScore(const MagScore&) = delete;
    virtual ~MagScore() = default;

    virtual double district(const Mag& g, MagSet district) = 0;
    virtual u64 fits() const = 0;  // districts whose value was not known

    int n() const { return n_; }
    // The districts that make up these nodes.
    double part(const Mag& g, MagSet nodes) {
        double sum = 0;
        while (nodes) {
            const MagSet d = g.district(std::countr_zero(nodes));
            sum += district(g, d);
            nodes &= ~d;
        }
        return sum;
    }
    double total(const Mag& g) { return offset_ + part(g, g.all()); }

    // A hash of a district and its edges.
    static u64 name_of(const Mag& g, MagSet district) {
        u64 hash = district;
        each_node(district, [&](int v) {
            hash = add_to_hash(hash, u64(g.parents[Mag::at(v)]) << 32 | g.spouses[Mag::at(v)], v);
        });
        return hash | 1;
    }
};

}  // namespace czz
