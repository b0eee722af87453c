// The orientations of components and buckets, for the widths of node sets that they need.
#include "members/clique_picking.hpp"
#include "members/members.hpp"
#include "members/splitting.hpp"

namespace czz {

namespace {

template <int W>
struct OrientationsOf final : Orientations {
    CliquePicking<W> picking;
    explicit OrientationsOf(std::vector<Bits<W>> neighbors) : picking(std::move(neighbors)) {}
    const Natural& count() const override { return picking.count(); }
    std::vector<int> draw(Rng& rng) override { return picking.draw(rng); }
};

template <int W>
struct SplitOrientationsOf final : Orientations {
    Splitting<W> splitting;
    explicit SplitOrientationsOf(const Component& c) : splitting(c.arrows, c.lines, c.nodes.size()) {}
    const Natural& count() const override { return splitting.count(); }
    std::vector<int> draw(Rng& rng) override { return splitting.draw(rng); }
};

}  // namespace

std::unique_ptr<Orientations> orientations(const Component& c) {
    if (!c.arrows.empty()) {
        try {
            if (c.nodes.size() <= 64) return std::make_unique<SplitOrientationsOf<1>>(c);
            return std::make_unique<SplitOrientationsOf<0>>(c);
        } catch (const TooManySplits&) {
            throw TooManySplits{c.nodes};
        }
    }
    auto make = [&]<int W>() -> std::unique_ptr<Orientations> {
        std::vector<Bits<W>> neighbors(c.nodes.size());
        for (auto [a, b] : c.lines) {
            neighbors[a].set(b);
            neighbors[b].set(a);
        }
        return std::make_unique<OrientationsOf<W>>(std::move(neighbors));
    };
    if (c.nodes.size() <= 64) return make.template operator()<1>();
    return make.template operator()<0>();
}

}  // namespace czz
