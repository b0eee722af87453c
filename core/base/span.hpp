// What makes sets of many words cheap whose members are few: the words in which a set has members, and short lists.
#pragma once
#include "base/bits.hpp"

namespace czz {

template <int W>
inline constexpr bool kManyWords = W == 0 || W > 8;

// Operations on the words in which some sets have members; on all words, where these are not many.
template <int W>
class Span {
    using B = Bits<W>;
    std::vector<int> words_;

  public:
    void clear() { words_.clear(); }
    void add(const B& set) {
        if constexpr (kManyWords<W>)
            for (int i = 0; i < set.words(); ++i)
                if (set.word(i) && std::find(words_.begin(), words_.end(), i) == words_.end()) words_.push_back(i);
    }
    // a = b ∩ c; returns whether there are any.
    bool intersect(B& a, const B& b, const B& c) const {
        return change(a, [&](int i) { return b.word(i) & c.word(i); });
    }
    // a = b \ c; returns whether there are any.
    bool subtract(B& a, const B& b, const B& c) const {
        return change(a, [&](int i) { return b.word(i) & ~c.word(i); });
    }
    void unite(B& a, const B& b) const {
        change(a, [&](int i) { return a.word(i) | b.word(i); });
    }
    void clear(B& a) const {
        change(a, [](int) { return u64(0); });
    }
    bool meet(const B& a, const B& b) const {
        if constexpr (!kManyWords<W>) return meets(a, b);
        u64 d = 0;
        for (int i : words_) d |= a.word(i) & b.word(i);
        return d != 0;
    }

  private:
    template <class F>
    bool change(B& a, F&& word) const {
        u64 d = 0;
        auto set = [&](int i) { d |= a.at(i) = word(i); };
        if constexpr (kManyWords<W>) {
            for (int i : words_) set(i);
        } else {
            for (int i = 0; i < W; ++i) set(i);
        }
        return d != 0;
    }
};

// The members of a set of many words as a list, made when it is first needed after a change: one line of the
// processor's cache instead of many.
class ShortList {
    static constexpr u32 kMost = 15, kStale = ~u32(0), kLong = kStale - 1;
    u32 count_ = kStale, at_[kMost];

  public:
    void changed() { count_ = kStale; }
    template <int W>
    void fill(const Bits<W>& set) {
        count_ = 0;
        set.each([&](int v) {
            if (count_ < kMost) at_[count_++] = u32(v);
            else count_ = kLong;
        });
    }
    template <int W, class F>
    void each(const Bits<W>& set, F&& f) {
        if (count_ == kStale) fill(set);
        if (count_ == kLong) return set.each(f);
        for (u32 i = 0; i < count_; ++i) f(int(at_[i]));
    }
    template <int W>
    bool any(const Bits<W>& set) {
        if (count_ == kStale) fill(set);
        return count_ > 0;
    }
};

}  // namespace czz
