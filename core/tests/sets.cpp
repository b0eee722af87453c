// Bits and BitMatrix against std::set.
#include "base/bit_matrix.hpp"
#include "base/rng.hpp"
#include "base/span.hpp"
#include "tests/check.hpp"
#include <set>

using namespace czz;

namespace {

using Plain = std::set<int>;

template <int W>
Bits<W> bits_of(const Plain& s) {
    Bits<W> b;
    for (int i : s) b.set(i);
    return b;
}

Plain random_set(int n, Rng& rng) {
    Plain s;
    const double share = rng.uniform();
    for (int i = 0; i < n; ++i)
        if (rng.uniform() < share) s.insert(i);
    return s;
}

template <class Keep>
Plain filter(const Plain& s, Keep&& keep) {
    Plain out;
    for (int i : s)
        if (keep(i)) out.insert(i);
    return out;
}

template <int W>
void check_same(const Bits<W>& b, const Plain& s) {
    CHECK(b.count() == int(s.size()));
    CHECK(b.any() == !s.empty());
    CHECK(b.first() == (s.empty() ? -1 : *s.begin()));
    CHECK(b.last() == (s.empty() ? -1 : *s.rbegin()));
    const std::vector<int> members(s.begin(), s.end());
    CHECK(b.list() == members);
    for (std::size_t k = 0; k < members.size(); ++k) CHECK(b.nth(int(k)) == members[k]);
    CHECK(b.nth(int(members.size())) == -1);
    CHECK(b == bits_of<W>(s));
    CHECK(b.hash(7) == bits_of<W>(s).hash(7));  // the hash does not depend on how the set came about
}

template <int W>
void check_operations(int n, Rng& rng) {
    const Plain a = random_set(n, rng), b = random_set(n, rng);
    const Bits<W> x = bits_of<W>(a), y = bits_of<W>(b);
    Plain joined = a, either;
    joined.insert(b.begin(), b.end());
    for (int i : joined)
        if (a.count(i) != b.count(i)) either.insert(i);
    const Plain common = filter(a, [&](int i) { return b.count(i) > 0; });
    const Plain without = filter(a, [&](int i) { return b.count(i) == 0; });
    check_same(x | y, joined);
    check_same(x & y, common);
    check_same(x - y, without);
    check_same(x ^ y, either);
    CHECK(meets(x, y) == !common.empty());
    CHECK(subset(x, y) == without.empty());
    CHECK(subset(x & y, y) && subset(x, x | y));

    Plain s = a;
    Bits<W> z = x;
    for (int k = 0; k < 20; ++k) {
        const int i = rng.below(n);
        switch (rng.below(3)) {
        case 0:
            s.insert(i), z.set(i);
            break;
        case 1:
            s.erase(i), z.reset(i);
            break;
        default:
            s.count(i) ? (void)s.erase(i) : (void)s.insert(i), z.flip(i);
        }
        CHECK(z.test(i) == (s.count(i) > 0));
    }
    check_same(z, s);
    z.clear();
    check_same(z, {});
}

// Operations on the words in which a set has members, on sets within it; and lists.
template <int W>
void check_span(int n, Rng& rng) {
    const Plain a = random_set(n, rng), b = random_set(n, rng);
    Plain few;
    for (int k = rng.below(30); k >= 0; --k) few.insert(rng.below(n));
    Bits<W> out, within = bits_of<W>(few), x = bits_of<W>(a), y = bits_of<W>(b);
    Span<W> span;
    span.add(within);
    span.add(within);
    const Plain common = filter(few, [&](int i) { return a.count(i) > 0; });
    const Plain without = filter(few, [&](int i) { return a.count(i) == 0; });
    CHECK(span.intersect(out, within, x) == !common.empty());
    check_same(out, common);
    CHECK(span.meet(out, within) == !common.empty());
    CHECK(span.subtract(out, within, x) == !without.empty());
    check_same(out, without);
    span.clear(out);
    check_same(out, {});
    Plain joined = b;
    joined.insert(few.begin(), few.end());
    span.unite(y, within);
    check_same(y, joined);

    ShortList list;
    for (const Bits<W>& set : {x, within}) {
        std::vector<int> listed;
        list.each(set, [&](int v) { listed.push_back(v); });
        CHECK(listed == set.list() && list.any(set) == set.any());
        list.changed();
    }
}

// next_subset goes through all subsets once, in counting order, and back to the empty set.
template <int W>
void check_subsets(int n) {
    Bits<W> of;
    for (int i = 0; i < 6; ++i) of.set(i * (n - 1) / 5);
    Bits<W> s;
    std::set<std::vector<int>> seen;
    int before = -1;
    for (int k = 0; k < 64; ++k) {
        CHECK(subset(s, of));
        int number = 0, place = 0;
        of.each([&](int i) { number |= int(s.test(i)) << place++; });
        CHECK(number == before + 1);
        before = number;
        seen.insert(s.list());
        s.next_subset(of);
    }
    CHECK(seen.size() == 64 && !s.any());
}

template <int W>
void check_width(std::vector<int> sizes) {
    Rng rng{{1, 2, 3, u64(W) + 4}};
    for (int n : sizes) {
        Plain all;
        for (int i = 0; i < n; ++i) all.insert(i);
        check_same(Bits<W>::first_n(n), all);
        check_same(Bits<W>::one(n - 1), {n - 1});
        for (int k = 0; k < 200; ++k) check_operations<W>(n, rng);
        for (int k = 0; k < 50; ++k) check_span<W>(n, rng);
        if (n > 5) check_subsets<W>(n);
    }
}

void check_matrix() {
    Rng rng{{5, 6, 7, 8}};
    for (int n : {1, 63, 64, 65, 130}) {
        BitMatrix m(n);
        std::set<std::pair<int, int>> plain;
        for (int k = 0; k < 4 * n; ++k) {
            const std::pair<int, int> at{rng.below(n), rng.below(n)};
            m.flip(at.first, at.second);
            if (!plain.insert(at).second) plain.erase(at);
        }
        std::set<std::pair<int, int>> found;
        for (int i = 0; i < n; ++i) m.each(i, [&](int j) { found.insert({i, j}); });
        CHECK(found == plain);
        for (const auto& [i, j] : plain) CHECK(m.test(i, j));
    }
}

}  // namespace

void test_sets() {
    check_width<1>({1, 5, 63, 64});
    check_width<2>({64, 65, 127, 128});
    check_width<4>({1, 129, 255, 256});
    check_width<16>({65, 520, 1000});
    check_width<0>({1, 63, 64, 65, 200, 700});
    // Sets of dynamic width that differ only in zero words are equal.
    Bits<0> narrow = Bits<0>::one(3), wide = narrow;
    wide.set(500);
    wide.reset(500);
    CHECK(narrow == wide && narrow.hash(1) == wide.hash(1) && subset(wide, narrow));
    for (u64 x : {u64(0), u64(1), ~u64(0), u64(0x8000000000000001), u64(0x123456789ABCDEF0)})
        CHECK(popcount(x) == std::popcount(x));
    check_matrix();
}
