// Implements the interface of a graph for one width of node sets.
#pragma once
#include "graph/conversion.hpp"
#include "target/uniform.hpp"

namespace czz {

template <int W>
Bits<W> to_bits(const std::vector<int>& nodes) {
    Bits<W> b;
    for (int v : nodes) b.set(v);
    return b;
}

template <int W>
struct GraphOf final : GraphInterface {
    using B = Bits<W>;
    Cpdag<W> g;

    explicit GraphOf(Cpdag<W> graph) : g(std::move(graph)) {}

    int n() const override { return g.n; }
    int edge_count() const override { return g.edges; }
    ClassHash hash() const override { return g.hash; }
    void matrix(std::uint8_t* out) const override {
        for (int x = 0; x < g.n; ++x) (g.ch[x] | g.ne[x]).each([&](int y) { out[std::size_t(x) * g.n + y] = 1; });
    }
    void dag(std::uint8_t* out) const override {
        for (int y = 0; y < g.n; ++y) g.dag_pa[y].each([&](int x) { out[std::size_t(x) * g.n + y] = 1; });
    }
    std::vector<int> parents(int v) const override { return g.pa[v].list(); }
    std::vector<int> children(int v) const override { return g.ch[v].list(); }
    std::vector<int> neighbors(int v) const override { return g.ne[v].list(); }
    std::vector<std::pair<int, int>> directed_edges() const override {
        std::vector<std::pair<int, int>> e;
        for (int x = 0; x < g.n; ++x) g.ch[x].each([&](int y) { e.emplace_back(x, y); });
        return e;
    }
    std::vector<std::pair<int, int>> undirected_edges() const override {
        std::vector<std::pair<int, int>> e;
        for (int x = 0; x < g.n; ++x)
            g.ne[x].each([&](int y) {
                if (x < y) e.emplace_back(x, y);
            });
        return e;
    }
    std::pair<std::vector<u64>, std::vector<u64>> count_operators(int max_degree) const override {
        PowerSum inserts, deletes;
        czz::count_operators(g, max_degree, inserts, deletes);
        return {inserts, deletes};
    }
    std::unique_ptr<OperatorsInterface> operators(int max_degree) const override;
    std::optional<PlainOperator> random_operator(int kind, int max_degree, Rng rng) const override {
        UniformTarget<W> target(g.n, ProcessSettings{}, max_degree, {});
        target.rebuild(g);
        const double up = kind >= 0 ? target.insert_total() : 0, down = kind <= 0 ? target.delete_total() : 0;
        if (!(up + down > 0)) return {};
        double u = rng.uniform() * (up + down);
        const bool insert = u < up;
        return plain(target.draw(g, insert, insert ? u : u - up, rng).op);
    }
    std::optional<Flaw> fault(const PlainOperator& op) const override {
        return czz::fault(g, op.insert, op.x, op.y, to_bits<W>(op.tails_or_heads));
    }
    GraphPtr apply(const PlainOperator& op) const override { return std::make_shared<GraphOf>(moved(op)); }
    PlainOperator inverse(const PlainOperator& op) const override {
        // After the move the member DAG has Pa(y) = S with x toggled, so the neighbors above y are the clique of the
        // inverse operator.
        const GraphOf after(moved(op));
        return after.plain({!op.insert, op.x, op.y, after.g.above[op.y]});
    }
    bool equals(const GraphInterface& other) const override {
        if (other.n() != g.n) return false;
        const auto& o = static_cast<const GraphOf&>(other).g;  // same n, same width
        return g.hash == o.hash && g.pa == o.pa && g.ne == o.ne;
    }
    PlainOperator plain(const Operator<W>& op) const { return czz::plain(g, op); }

  private:
    Cpdag<W> moved(const PlainOperator& op) const {
        Cpdag<W> h = g;
        h.apply(from_tails_or_heads(g, op.insert, op.x, op.y, to_bits<W>(op.tails_or_heads)));
        return h;
    }
};

template <int W>
class OperatorsOf final : public OperatorsInterface {
    std::shared_ptr<const GraphOf<W>> graph_;  // kept alive for the cursor
    OperatorCursor<W> cursor_;

  public:
    OperatorsOf(std::shared_ptr<const GraphOf<W>> graph, int max_degree)
        : graph_(std::move(graph)), cursor_(graph_->g, max_degree) {}
    std::vector<PlainOperator> take(std::size_t at_most) override {
        std::vector<PlainOperator> out;
        Operator<W> op;
        while (out.size() < at_most && cursor_.next(op)) out.push_back(graph_->plain(op));
        return out;
    }
};

template <int W>
std::unique_ptr<OperatorsInterface> GraphOf<W>::operators(int max_degree) const {
    return std::make_unique<OperatorsOf<W>>(std::static_pointer_cast<const GraphOf>(shared_from_this()), max_degree);
}

template <int W>
GraphPtr Graphs<W>::empty(int n) {
    return std::make_shared<GraphOf<W>>(Cpdag<W>(n));
}

template <int W>
GraphPtr Graphs<W>::complete(int n) {
    std::vector<Bits<W>> parents;
    std::vector<int> order;
    for (int v = 0; v < n; ++v) {
        parents.push_back(Bits<W>::first_n(v));
        order.push_back(v);
    }
    return std::make_shared<GraphOf<W>>(canonical(complete_dag(parents, order)));
}

template <int W>
GraphOrFlaw Graphs<W>::parse(Kind kind, int n, const std::uint8_t* matrix) {
    const Mixed<W> m(n, matrix);
    auto parsed = kind == Kind::kDag ? from_dag(m) : kind == Kind::kPdag ? from_pdag(m) : from_cpdag(m);
    if (auto* flaw = std::get_if<Flaw>(&parsed)) return *flaw;
    Cpdag<W>& made = std::get<Cpdag<W>>(parsed);
    return std::make_shared<GraphOf<W>>(kind == Kind::kCpdag ? std::move(made) : canonical(made));
}

}  // namespace czz
