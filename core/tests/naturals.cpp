// Natural against 128-bit integers, and by algebraic identities beyond them.
#include "base/natural.hpp"
#include "tests/check.hpp"

using namespace czz;

namespace {

Natural natural_of(u128 v) { return Natural(u64(v >> 64)) * (Natural(~u64(0)) += Natural(1)) += Natural(u64(v)); }

bool same(const Natural& a, const Natural& b) { return a.limbs() == b.limbs(); }

u128 random_number(Rng& rng) {
    const int bits = rng.below(127);
    return ((u128(rng()) << 64 | rng()) >> 1) >> (126 - bits);
}

// a random number of k limbs
Natural random_natural(int k, Rng& rng) {
    Natural n;
    const Natural base = natural_of(u128(1) << 64);
    for (int i = 0; i < k; ++i) (n *= base) += Natural(rng());
    return n;
}

}  // namespace

void test_naturals() {
    Rng rng{{1, 2, 3, 4}};
    CHECK(Natural().limbs().empty() && !(Natural() < Natural()) && Natural() < Natural(1));
    for (int k = 0; k < 20000; ++k) {
        const u128 a = random_number(rng), b = random_number(rng);
        Natural x = natural_of(a);
        const Natural y = natural_of(b);
        CHECK((x < y) == (a < b) && (y < x) == (b < a));
        CHECK(same(x += y, natural_of(a + b)));
        CHECK(same(x -= y, natural_of(a)));
        const u64 c = u64(a), d = u64(b);
        CHECK(same(Natural(c) * Natural(d), natural_of(u128(c) * d)));
        if (a > 0)
            CHECK(std::abs(natural_of(a).log() - std::log(double(a))) < 1e-13 * std::max(1.0, std::log(double(a))));
    }
    for (int k = 0; k < 500; ++k) {
        const Natural a = random_natural(1 + rng.below(6), rng), b = random_natural(1 + rng.below(6), rng),
                      c = random_natural(1 + rng.below(6), rng);
        Natural sum = a;
        sum += b;
        Natural right = a * c;
        right += b * c;
        CHECK(same(sum * c, right));  // (a + b) c = a c + b c
        CHECK(same(a * b, b * a));
        CHECK(same(sum -= a, b));
        CHECK(std::abs((a * b).log() - (a.log() + b.log())) < 1e-12 * (a * b).log());
        const Natural below = Natural::uniform_below(a, rng);
        CHECK(below < a);
    }
    // Carries and borrows that pass through many limbs.
    Natural power(1);
    for (int i = 0; i < 5; ++i) power *= natural_of(u128(1) << 64);
    Natural ones = power;
    ones -= Natural(1);
    CHECK(ones.limbs() == std::vector<u64>(5, ~u64(0)));
    CHECK(same(ones += Natural(1), power));
    // Every number below a small bound is drawn, and no other.
    for (u64 bound : {1, 2, 3, 7, 8}) {
        std::vector<int> drawn(std::size_t(bound), 0);
        for (int k = 0; k < 400; ++k) ++drawn[std::size_t(uniform_below(bound, rng))];
        for (int d : drawn) CHECK(d > 0);  // missing one by chance: at most 8 · (7/8)^400 < 1e-22
    }
}
