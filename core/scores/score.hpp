// The interface of a score: local scores, and rows of differences, which a kernel computes for each chain.
#pragma once
#include "base/bits.hpp"
#include <memory>

namespace czz {

// The working space of one chain; the data behind it are shared and read-only.
struct RowKernel {
    virtual ~RowKernel() = default;
    // difference[x] = s(y, S ∪ x) − s(y, S) for x outside S, s(y, S \ x) − s(y, S) for x in S. `difference` holds n
    // numbers, rounded up to a multiple of 8; the values at y and beyond n are not used, but must be finite.
    virtual void row(int y, const std::vector<int>& parents, double* difference) = 0;
    // The differences for x outside S from `first` to `first` + `count`, both multiples of 8, if the score has_parts().
    virtual void part(int, const std::vector<int>&, int, int, double*) {}
    // Limits the memory of what is cached here, about. Returns the limit; 0 if nothing is cached.
    virtual std::size_t limit_cache(std::size_t) { return 0; }
};

struct Score {
    virtual ~Score() = default;
    virtual int n() const = 0;
    virtual double local(int y, const std::vector<int>& parents) const = 0;
    // The local scores of y with many sets of parents, each in increasing order.
    virtual void locals(int y, const std::vector<std::vector<int>>& parents, double* out) const {
        for (const auto& P : parents) *out++ = local(y, P);
    }
    virtual std::unique_ptr<RowKernel> kernel() const = 0;
    // The same score of some nodes alone, with the same values to the bit, if rows are then computed faster; else null.
    virtual std::unique_ptr<Score> restricted(const std::vector<int>&) const { return nullptr; }
    virtual bool expensive_rows() const { return false; }      // so their differences are always cached
    virtual bool has_parts() const { return false; }           // a part of a row takes a part of its time
    virtual bool rows_are_of_locals() const { return false; }  // so tables are filled by local scores, not by rows
};

}  // namespace czz
