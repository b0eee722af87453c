// Saved states: what is written is read again, and damaged or foreign bytes are refused.
#include "base/archive.hpp"
#include "tests/check.hpp"
#include <cmath>

using namespace czz;

namespace {

struct Inner {
    int a = 0;
    bool b = false;

    template <class A>
    void state(A& archive) {
        archive(a, b);
    }
};
struct Outer {
    double x = 0;
    std::vector<Inner> inner;
    Bits<0> wide;
    Bits<2> fixed;
    Bits<16> sparse = Bits<16>::one(1);  // loading replaces all members
    std::array<u32, 2> pair{};

    template <class A>
    void state(A& archive) {
        archive(x, inner, wide, fixed, sparse, pair);
        archive.same(42);
    }
};

bool loads(const std::string& bytes) {
    try {
        Loader loader(bytes);
        Outer o;
        o.state(loader);
        loader.end();
        return true;
    } catch (const BadState&) {
        return false;
    }
}

}  // namespace

void test_archive() {
    Outer o{-0.0, {{1, true}, {-2, false}}, Bits<0>::one(200), Bits<2>::one(100), {}, {7, 8}};
    for (int v : {0, 63, 64, 1023}) o.sparse.set(v);
    Saver saver;
    o.state(saver);
    const std::string bytes = std::move(saver).bytes();
    Loader loader(bytes);
    Outer p;
    p.state(loader);
    loader.end();
    CHECK(std::signbit(p.x) && p.x == 0 && p.inner.size() == 2 && p.inner[0].a == 1 && p.inner[0].b);
    CHECK(p.inner[1].a == -2 && !p.inner[1].b && p.wide == o.wide && p.fixed == o.fixed && p.pair == o.pair);
    CHECK(p.sparse == o.sparse && p.sparse.count() == 4);

    CHECK(loads(bytes));
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string damaged = bytes;
        damaged[i] = char(damaged[i] ^ 4);
        CHECK(!loads(damaged));
        CHECK(!loads(bytes.substr(0, i)));
    }
    CHECK(!loads(bytes + std::string(8, '\0')));
    Saver other;  // a valid state of something else
    u64 word = 1;
    other(word);
    CHECK(!loads(std::move(other).bytes()));
}
