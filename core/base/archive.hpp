// The state of a running chain as bytes, and back, bit for bit.
//
// A class lists its state once, in `template <class A> void state(A& a)`: the same lines write it (A = Saver) and read
// it (A = Loader), and if A::kLoads is set they restore what follows from it. Settings and working space are left out.
// The byte order is little-endian.
#pragma once
#include "base/hash.hpp"
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

namespace czz {

// Increased with every change of what is saved; states of another format are refused.
constexpr u64 kStateFormat = 7;

struct BadState : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// A checksum against accidental damage; it does not protect against deliberate changes.
inline u64 digest(std::string_view bytes) {
    u64 h = bytes.size();
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        u64 word = 0;
        std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        h = mix64((h ^ word) + 0x9E3779B97F4A7C15ull);
    }
    return h;
}

// Not inlined: there are many calls, and none is critical for speed.
class StateBytes {
  protected:
    std::string out_;
    std::string_view left_;

    [[gnu::noinline]] void write(const void* p, std::size_t bytes) { out_.append(static_cast<const char*>(p), bytes); }
    [[gnu::noinline]] void read(void* p, std::size_t bytes) {
        if (bytes > left_.size()) damaged();
        if (bytes) std::memcpy(p, left_.data(), bytes);
        left_.remove_prefix(bytes);
    }
    [[noreturn, gnu::noinline]] static void damaged() {
        throw BadState("these bytes are not the state of a chain with these settings");
    }
};

template <bool kLoading>
class StateArchive : StateBytes {
    void raw(void* p, std::size_t bytes) {
        if constexpr (kLoading) read(p, bytes);
        else write(p, bytes);
    }
    void part(bool& v) {
        unsigned char byte = v;
        raw(&byte, 1);
        check(byte <= 1);
        v = byte;
    }
    template <class T>
    void part(T& v) {
        if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) raw(&v, sizeof v);
        else v.state(*this);
    }
    template <class T, std::size_t N>
    void part(std::array<T, N>& v) {
        for (T& x : v) part(x);
    }
    template <class T, std::size_t N>
    void part(T (&v)[N]) {
        for (T& x : v) part(x);
    }
    template <class T>
    void part(std::vector<T>& v) {
        u64 size = v.size();
        part(size);
        if constexpr (kLoading) {
            check(size <= left_.size() / (std::is_arithmetic_v<T> ? sizeof(T) : 1));  // one byte per element or more
            v.resize(std::size_t(size));
        }
        if constexpr (std::is_arithmetic_v<T>) raw(v.data(), v.size() * sizeof(T));
        else
            for (T& x : v) part(x);
    }
    // Wide sets, which have few members, as the words that are not zero, with their indices; sets of dynamic width as
    // their words up to the last that is not zero.
    template <int W>
    void part(Bits<W>& v) {
        if constexpr (W > 8) {
            u32 count = 0;
            for (int i = 0; i < W; ++i) count += v.word(i) != 0;
            part(count);
            check(count <= W);
            int last = -1;
            for (u32 k = 0; k < count; ++k) {
                int at = last + 1;
                if constexpr (kLoading) {
                    if (k == 0) v = {};
                } else {
                    while (!v.word(at)) ++at;
                }
                part(at);
                check(at > last && at < W);
                part(v.at(last = at));
            }
            if constexpr (kLoading)
                if (count == 0) v = {};
        } else if constexpr (W > 0) {
            raw(&v.at(0), W * sizeof(u64));
        } else {
            u32 words = u32(v.words());
            while (words && !v.word(int(words) - 1)) --words;
            part(words);
            if constexpr (kLoading) {
                check(8 * u64(words) <= left_.size());
                v = {};
            }
            for (int i = 0; i < int(words); ++i) part(v.at(i));
        }
    }

  public:
    static constexpr bool kLoads = kLoading;
    static void check(bool right) {
        if (!right) damaged();
    }

    StateArchive() {
        u64 format = kStateFormat;
        part(format);
    }
    explicit StateArchive(std::string_view bytes) {
        left_ = bytes;
        check(bytes.size() >= 16);
        u64 format, sum;
        std::memcpy(&format, bytes.data(), 8);
        std::memcpy(&sum, bytes.data() + bytes.size() - 8, 8);
        if (digest(bytes.substr(0, bytes.size() - 8)) != sum) throw BadState("the bytes of this state are damaged");
        if (format != kStateFormat) throw BadState("this state was saved by another version of the package");
        left_ = bytes.substr(8, bytes.size() - 16);
    }

    template <class... T>
    void operator()(T&... parts) {
        (part(parts), ...);
    }
    // A value that follows from the settings: the saved one must be the same.
    void same(u64 value) {
        u64 saved = value;
        part(saved);
        check(saved == value);
    }
    std::string bytes() && {
        u64 sum = digest(out_);
        part(sum);
        return std::move(out_);
    }
    void end() const { check(left_.empty()); }
};

using Saver = StateArchive<false>;
using Loader = StateArchive<true>;

}  // namespace czz
