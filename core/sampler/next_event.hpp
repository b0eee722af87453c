// The next event of the process: the time until it, and which one it is. target/units.hpp explains all units.
#pragma once
#include "base/math.hpp"
#include "base/rng.hpp"
#include "base/ziggurat.hpp"
#include "target/units.hpp"
#include <algorithm>

namespace czz {

constexpr double kLongest = 1000;  // binary logarithm of the longest expected holding time
constexpr double kNever = 1e15;    // binary logarithm of the unit of time where no event has a positive rate

class NextEvent {
  public:
    enum class Kind { kInsert, kDelete, kFlip, kMove };
    struct Choice {
        Kind kind;
        double share;  // of a jump: uniform in [0, 1), the position among the rates of its kind
    };

    double unit = 0;        // binary exponent of the unit of time
    bool has_unit = false;  // a unit of time has been chosen

    explicit NextEvent(double momentum) : rho_(momentum), sigma_(1 - momentum) {}

    const Rates& rates() const { return rates_; }
    double momentum() const { return rho_; }

    // Λ₊ and Λ₋ of the class at which the chain arrives, with the natural logarithms of their units.
    void set_rates(double insert, double insert_scale, double remove, double delete_scale) {
        rates_.insert = insert;
        rates_.remove = remove;
        const double up = insert > 0 ? insert_scale : kMinusInf, down = remove > 0 ? delete_scale : kMinusInf;
        const double larger = std::max(up, down);
        if (up - down != gap_) gap_factor_ = fast_exp(-std::abs(gap_ = up - down));
        if (up < larger) rates_.insert *= gap_factor_;
        if (down < larger) rates_.remove *= gap_factor_;
        if (larger == rates_.log_unit && has_unit) return;
        rates_.log_unit = larger;
        follow_units();
    }
    void set_rates(const Rates& rates) {
        rates_ = rates;
        follow_units();
    }
    // The rate of all moves, as the binary logarithm of their number per time 1.
    void set_log2_move_rate(double log2_rate) {
        log2_move_rate_ = log2_rate;
        follow_units();
    }
    void set_unit(double binary_exponent) {
        unit = binary_exponent;
        has_unit = true;
        follow_units();
    }

    // The rate of all events, in the unit of the rates.
    double total(int direction) const {
        const auto [ahead, behind] = by_direction(direction);
        return rho_ * std::max(ahead, behind) + sigma_ * (ahead + behind) + move_rate_;
    }
    double flip_rate(int direction) const {
        const auto [ahead, behind] = by_direction(direction);
        return rho_ * std::max(0.0, behind - ahead);
    }
    // The mean holding time, in the unit of time; infinite where no rate is positive.
    double mean(double total) const { return unit_per_rate_ / total; }
    // The holding time, drawn: exponential, with this mean.
    static double draw(double mean, Rng& rng) { return mean * exponential(rng); }
    double log2_mean(double total) const { return -rates_.log_unit * kLog2e - std::log2(total); }

    Choice choose(double total, int direction, Rng& rng) const {
        double u = rng.uniform() * total;
        const double insert = (direction > 0 ? rho_ + sigma_ : sigma_) * rates_.insert;
        const double remove = (direction < 0 ? rho_ + sigma_ : sigma_) * rates_.remove;
        if (u < insert) return {Kind::kInsert, u / insert};
        if ((u -= insert) < remove) return {Kind::kDelete, u / remove};
        if (u - remove < move_rate_) return {Kind::kMove, 0};
        return {Kind::kFlip, 0};
    }

  private:
    double rho_, sigma_;
    Rates rates_;
    double unit_per_rate_ = 0;
    double gap_ = std::nan(""), gap_factor_ = 1;
    double log2_move_rate_ = kMinusInf, move_rate_ = 0;

    std::pair<double, double> by_direction(int direction) const {
        return direction > 0 ? std::pair{rates_.insert, rates_.remove} : std::pair{rates_.remove, rates_.insert};
    }
    void follow_units() {
        unit_per_rate_ = exp_shifted(-rates_.log_unit, unit);
        const bool moves = has_unit && log2_move_rate_ > kMinusInf;
        move_rate_ = moves ? unit_per_rate_ * fast_exp((log2_move_rate_ + unit) * kLn2) : 0;
    }
};

}  // namespace czz
