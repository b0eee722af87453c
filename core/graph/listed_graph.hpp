// A class of a list: its edges, with everything else computed on first use.
//
// Most classes of a list are used for one query and dropped. The edges, n rows of bits, answer most queries; a whole
// graph, with its DAG, descendants and components, takes about ten times the memory and more time to build.
#pragma once
#include "graph/class_walk.hpp"
#include "graph/graph_interface.hpp"
#include <mutex>
#include <stdexcept>

namespace czz {

class ListedGraph final : public GraphInterface {
  public:
    ListedGraph(int n, const WalkedGraph& g) : n_(n), edges_(g.edges()), out_(g.out()) {}

    int n() const override { return n_; }
    int edge_count() const override { return edges_; }
    ClassHash hash() const override {
        ClassHash hash;
        for (const auto& [x, y] : directed_edges())
            hash.toggle(pair_index(std::min(x, y), std::max(x, y)), x < y ? kForward : kBackward);
        for (const auto& [x, y] : undirected_edges()) hash.toggle(pair_index(x, y), kLine);
        return hash;
    }
    void matrix(std::uint8_t* out) const override {
        for (int x = 0; x < n_; ++x) out_.each(x, [&](int y) { out[std::size_t(x) * std::size_t(n_) + y] = 1; });
    }
    std::vector<int> parents(int v) const override {
        std::vector<int> found;
        for (int u = 0; u < n_; ++u)
            if (out_.test(u, v) && !out_.test(v, u)) found.push_back(u);
        return found;
    }
    std::vector<int> children(int v) const override { return out(v, false); }
    std::vector<int> neighbors(int v) const override { return out(v, true); }
    std::vector<std::pair<int, int>> directed_edges() const override {
        std::vector<std::pair<int, int>> found;
        found.reserve(std::size_t(edges_));
        for (int x = 0; x < n_; ++x)
            out_.each(x, [&](int y) {
                if (!out_.test(y, x)) found.emplace_back(x, y);
            });
        return found;
    }
    std::vector<std::pair<int, int>> undirected_edges() const override {
        std::vector<std::pair<int, int>> found;
        found.reserve(std::size_t(edges_));
        for (int x = 0; x < n_; ++x)
            out_.each(x, [&](int y) {
                if (x < y && out_.test(y, x)) found.emplace_back(x, y);
            });
        return found;
    }
    const GraphInterface& whole() const override {
        std::call_once(once_, [&] {
            const auto parsed = parse();
            if (std::holds_alternative<Flaw>(parsed)) throw std::invalid_argument("a listed graph is not a CPDAG");
            whole_ = std::get<GraphPtr>(parsed);
        });
        return *whole_;
    }
    bool is_class() const { return std::holds_alternative<GraphPtr>(parse()); }
    void dag(std::uint8_t* out) const override { whole().dag(out); }
    std::pair<std::vector<u64>, std::vector<u64>> count_operators(int max_degree) const override {
        return whole().count_operators(max_degree);
    }
    std::unique_ptr<OperatorsInterface> operators(int max_degree) const override {
        return whole().operators(max_degree);
    }
    std::optional<PlainOperator> random_operator(int kind, int max_degree, Rng rng) const override {
        return whole().random_operator(kind, max_degree, rng);
    }
    std::optional<Flaw> fault(const PlainOperator& op) const override { return whole().fault(op); }
    GraphPtr apply(const PlainOperator& op) const override { return whole().apply(op); }
    PlainOperator inverse(const PlainOperator& op) const override { return whole().inverse(op); }
    bool equals(const GraphInterface& other) const override { return whole().equals(other); }

  private:
    int n_, edges_;
    BitMatrix out_;  // see WalkedGraph
    mutable std::once_flag once_;
    mutable GraphPtr whole_;

    GraphOrFlaw parse() const {
        std::vector<std::uint8_t> m(std::size_t(n_) * std::size_t(n_) + 1);
        matrix(m.data());
        return with_width(n_, [&](auto graphs) { return graphs.parse(Kind::kCpdag, n_, m.data()); });
    }
    std::vector<int> out(int v, bool lines) const {
        std::vector<int> found;
        out_.each(v, [&](int w) {
            if (out_.test(w, v) == lines) found.push_back(w);
        });
        return found;
    }
};

}  // namespace czz
