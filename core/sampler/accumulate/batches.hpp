// The run of a chain in batches of equal numbers of jumps, with exact time integrals of the number of edges, of the
// score and of the marks of the pairs in each batch, from which Monte Carlo errors are estimated.
//
// A batch lists the pairs that changed within it; any other pair kept its mark, which is the one before its next
// change. When kMost batches are full, or hold more than kMostPairs pairs (32 MiB), adjacent batches are merged and the
// length doubles, so the length of the run need not be known; at least kLeast batches remain.
#pragma once
#include "base/radix_sort.hpp"
#include "sampler/accumulate/edge_times.hpp"

namespace czz {

struct Batch {
    struct Changed {
        u32 pair;
        Mark before, after;  // its marks at the two ends of the batch
        double held[3];      // time with the mark forward, backward, line

        template <class A>
        void state(A& a) {
            a(pair, before, after, held);
        }
    };
    u64 jumps = 0;
    double time = 0;
    double edges = 0, edges_squared = 0, score = 0,
           score_squared = 0;      // time integrals; the score relative to a reference
    std::vector<Changed> changed;  // by pair

    template <class A>
    void state(A& a) {
        a(jumps, time, edges, edges_squared, score, score_squared, changed);
    }
    void scale(int power) {
        for (double* x : {&time, &edges, &edges_squared, &score, &score_squared}) *x = std::ldexp(*x, power);
        for (Changed& c : changed)
            for (double& h : c.held) h = std::ldexp(h, power);
    }
    // This batch and the next one as one.
    void join(const Batch& next) {
        std::vector<Changed> both;
        both.reserve(changed.size() + next.changed.size());
        auto a = changed.begin();
        auto b = next.changed.begin();
        auto keep = [](Changed c, Mark mark, double spent) {
            if (mark != kNone) c.held[mark - 1] += spent;
            return c;
        };
        while (a != changed.end() || b != next.changed.end()) {
            if (b == next.changed.end() || (a != changed.end() && a->pair < b->pair)) {
                both.push_back(keep(*a, a->after, next.time));
                ++a;
            } else if (a == changed.end() || b->pair < a->pair) {
                both.push_back(keep(*b, b->before, time));
                ++b;
            } else {
                both.push_back({a->pair, a->before, b->after, {}});
                for (int m = 0; m < 3; ++m) both.back().held[m] = a->held[m] + b->held[m];
                ++a;
                ++b;
            }
        }
        both.shrink_to_fit();  // many pairs are in both lists, and batches are kept for the whole run
        changed = std::move(both);
        jumps += next.jumps;
        time += next.time;
        edges += next.edges;
        edges_squared += next.edges_squared;
        score += next.score;
        score_squared += next.score_squared;
    }
};

class Batches {
  public:
    static constexpr std::size_t kMost = 64, kLeast = 16, kMostPairs = std::size_t(1) << 20;
    static constexpr u64 kFirstLength = 16;

    struct First {  // the first change of a pair in the open batch
        int a, b;
        Mark before;
        double held[3];  // times up to the begin of the batch

        template <class A>
        void state(A& archive) {
            archive(a, b, before, held);
        }
    };
    std::vector<Batch> closed;
    Batch open;  // without its pairs
    std::vector<First> firsts;
    double begin = 0;  // the time at which the open batch began
    u64 length = kFirstLength;
    double reference = 0;   // scores are relative to it, so that their squares stay small
    std::size_t pairs = 0;  // in all closed batches

    template <class A>
    void state(A& a) {
        a(closed, open, firsts, begin, length, reference, pairs);
        a.check(std::has_single_bit(length) && open.jumps < length && closed.size() < kMost && open.changed.empty());
        a.check(std::isfinite(begin) && std::isfinite(reference));
        for (const First& f : firsts) a.check(f.a >= 0 && f.a < f.b && f.before <= kLine);
        for (const Batch& b : closed)
            for (const Batch::Changed& c : b.changed) a.check(c.before <= kLine && c.after <= kLine);
    }
    void clear(double score) {
        *this = {};
        reference = score;
    }
    void hold(double time, int edges, double score) {
        const double m = edges, s = score - reference;
        open.edges += time * m;
        open.edges_squared += time * m * m;
        open.score += time * s;
        open.score_squared += time * s * s;
    }
    // Called before `times` is updated. A pair may be listed twice if it changes twice at the same time; see
    // `finished`.
    void change(const PairChange& c, const PairTimes& times) {
        if (times.since > begin) return;
        firsts.push_back({c.a, c.b, c.before, {}});
        for (Mark m : {kForward, kBackward, kLine}) firsts.back().held[m - 1] = times.until(m, c.before, begin);
    }
    // `g` has the present marks of pairs.
    template <class G>
    void jumped(const G& g, const EdgeTimes& times, double now) {
        if (++open.jumps < length) return;
        closed.push_back(finished(g, times, now));
        pairs += closed.back().changed.size();
        open = {};
        firsts.clear();
        begin = now;
        const bool heavy = pairs > kMostPairs && closed.size() >= 2 * kLeast;
        if (closed.size() == kMost || (heavy && closed.size() % 2 == 0)) merge();
    }
    // All batches, the open one as if it ended now.
    template <class G>
    std::vector<Batch> all(const G& g, const EdgeTimes& times, double now) const {
        std::vector<Batch> out = closed;
        if (now > begin) out.push_back(finished(g, times, now));
        return out;
    }
    void rescale(int power) {
        for (Batch& b : closed) b.scale(power);
        open.scale(power);
        for (First& f : firsts)
            for (double& h : f.held) h = std::ldexp(h, power);
        begin = std::ldexp(begin, power);
    }

  private:
    template <class G>
    Batch finished(const G& g, const EdgeTimes& times, double now) const {
        Batch out = open;
        out.time = now - begin;
        std::vector<u64> order;  // pair << 32 | number of the change
        order.reserve(firsts.size());
        for (const First& f : firsts) order.push_back(pair_index(f.a, f.b) << 32 | order.size());
        sort_by_upper_half(order, pair_index(0, g.nodes()));
        out.changed.reserve(order.size());
        for (u64 o : order) {
            const u32 pair = u32(o >> 32);
            const First* f = &firsts[u32(o)];
            if (!out.changed.empty() && out.changed.back().pair == pair) continue;
            const Mark after = g.mark(f->a, f->b);
            out.changed.push_back({pair, f->before, after, {}});
            for (Mark m : {kForward, kBackward, kLine})
                out.changed.back().held[m - 1] = std::max(0.0, times.held(f->a, f->b, m, after, now) - f->held[m - 1]);
        }
        return out;
    }
    void merge() {
        const std::size_t half = closed.size() / 2;
        pairs = 0;
        for (std::size_t i = 0; i < half; ++i) {
            closed[2 * i].join(closed[2 * i + 1]);
            if (i) closed[i] = std::move(closed[2 * i]);
            pairs += closed[i].changed.size();
        }
        closed.resize(half);
        length *= 2;
    }
};

}  // namespace czz
