// Order excursions from the class of a chain, with what knowledge orients, to another class.
#pragma once
#include "graph/completion.hpp"
#include "sampler/class_changes.hpp"
#include "sampler/excursions/excursions.hpp"

namespace czz {

template <int W>
class ClassExcursions {
  public:
    struct Move {
        Cpdag<W> to;
        double score_difference;
    };

    explicit ClassExcursions(std::unique_ptr<Excursions> excursions) : excursions_(std::move(excursions)) {}
    explicit operator bool() const { return excursions_ != nullptr; }
    ExcursionCounts& counts() { return excursions_->counts; }
    ExcursionCounts counts() const { return excursions_ ? excursions_->counts : ExcursionCounts{}; }
    bool spent() const { return excursions_ && excursions_->counts.made >= excursions_->settings().most; }
    // Their rate, where the unit of time is 2^unit.
    double rate(double unit) const { return fast_exp((excursions_->settings().log2_rate + unit) * kLn2); }

    // One excursion, which leaves the target invariant; returns nothing if the chain stays in its class.
    std::optional<Move> make(const Cpdag<W>& from, Restriction<W>* restriction, Rng& rng) {
        list_class(from, restriction, arrows_, lines_);
        const ExcursionProposal& p = excursions_->propose(arrows_, lines_, rng);
        if (p.log_ratio == kMinusInf) return {};
        Cpdag<W> next = complete_dag(bits_of<W>(p.parents), p.order);
        list_class(next, restriction, arrows_, lines_);
        const double log_ratio = p.log_ratio - excursions_->log_size(arrows_, lines_);
        if (!(rng.uniform() < fast_exp(std::min(0.0, log_ratio)))) return {};
        ++excursions_->counts.accepted;
        if (next.hash == from.hash) return {};
        ++excursions_->counts.changed;
        return Move{std::move(next), p.score_difference};
    }
    // To a class found by a walk among orders from hot to cold, which need not leave the target invariant. Returns
    // nothing if that class is outside the bounds or its log weight is lower by more than `slack`.
    std::optional<Move> anneal(const Cpdag<W>& from, Restriction<W>* restriction, const std::vector<double>& powers,
                               u64 steps, double slack, Rng& rng) {
        list_class(from, restriction, arrows_, lines_);
        const ExcursionProposal& p = excursions_->anneal(arrows_, lines_, powers, steps, rng);
        if (!(p.log_ratio >= -slack)) return {};
        return Move{complete_dag(bits_of<W>(p.parents), p.order), p.score_difference};
    }

  private:
    std::unique_ptr<Excursions> excursions_;
    Lists arrows_, lines_;  // working space
};

}  // namespace czz
