// A bounded table of numbers that were computed before, by 64-bit names of what they belong to.
#pragma once
#include "base/bits.hpp"
#include <utility>

namespace czz {

// Open addressing with linear probing. A full table forgets everything: its values can be computed again. Names are
// hashes and never 0; two of m names collide with probability m^2 / 2^65.
class RememberedValues {
    static constexpr std::size_t kMostSlots = std::size_t(1) << 21;  // 32 MB
    std::vector<std::pair<u64, double>> slots_ = std::vector<std::pair<u64, double>>(1 << 12);
    std::size_t used_ = 0;

    std::size_t slot_of(u64 name) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = name & mask;
        while (slots_[at].first && slots_[at].first != name) at = (at + 1) & mask;
        return at;
    }

  public:
    const double* find(u64 name) const {
        const auto& slot = slots_[slot_of(name)];
        return slot.first ? &slot.second : nullptr;
    }
    double add(u64 name, double value) {
        if (2 * (used_ + 1) > slots_.size()) {
            std::vector<std::pair<u64, double>> old(std::min(2 * slots_.size(), kMostSlots));
            old.swap(slots_);
            used_ = 0;
            if (old.size() < kMostSlots)
                for (const auto& [had, kept] : old)
                    if (had) slots_[slot_of(had)] = {had, kept}, ++used_;
        }
        slots_[slot_of(name)] = {name, value};
        ++used_;
        return value;
    }
    std::size_t size() const { return used_; }
};

}  // namespace czz
