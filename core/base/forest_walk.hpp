// A depth-first walk of a forest whose nodes are numbered so that parents come before children.
#pragma once
#include "base/bits.hpp"

namespace czz {

class ForestWalk {
    std::vector<u32> child_, sibling_;  // first child, next sibling; numbers are shifted by one, 0 is the root or none
    std::vector<u32> path_{0};

  public:
    static constexpr std::int64_t kRoot = -1, kLeftOut = -2;

    // parent(i) returns the parent of node i, kRoot for a node without one, or kLeftOut for a node that the walk does
    // not visit. A node that is left out has no children in the walk. Children are visited by increasing number.
    template <class Parent>
    ForestWalk(std::size_t count, Parent&& parent) : child_(count + 1), sibling_(count + 1) {
        for (std::size_t i = count; i-- > 0;) {
            const std::int64_t p = parent(i);
            if (p == kLeftOut) continue;
            u32& first = child_[std::size_t(p + 1)];
            sibling_[i + 1] = first;
            first = u32(i) + 1;
        }
    }
    // Returns the next node, or -1 after the last. Calls pass(i) whenever the walk goes between node i and its parent,
    // in either direction.
    template <class Pass>
    std::int64_t next(Pass&& pass) {
        if (path_.empty()) return -1;
        u32 i = child_[path_.back()];
        while (!i) {
            const u32 left = path_.back();
            path_.pop_back();
            if (path_.empty()) return -1;
            pass(std::size_t(left) - 1);
            i = sibling_[left];
        }
        pass(std::size_t(i) - 1);
        path_.push_back(i);
        return std::int64_t(i) - 1;
    }
};

}  // namespace czz
