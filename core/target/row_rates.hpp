// The rates of a row from the differences of the score, by the settings of the process.
#pragma once
#include "scores/score.hpp"
#include "target/process_settings.hpp"
#include "target/row_cache.hpp"

namespace czz {

template <int W>
class RowRates {
    using B = Bits<W>;
    static constexpr double kLeastColdness = 0.01;  // below it, differences found from rates would lose digits

    ProcessSettings process_;
    std::unique_ptr<RowKernel> kernel_;
    double insert_step_ = 0, delete_step_ = 0;  // prior steps inside the rates
    std::vector<B> kept_;                       // deletes that do not exist: x in kept_[y]; empty if all do
    std::vector<int> parents_;
    std::vector<double> log_rate_, difference_;

  public:
    bool prior_inside;  // the prior step depends on the number of edges and does not factor out of the balance
    // With the balances sqrt and auto a difference follows from its rate, so rows need not store differences: half the
    // memory and half the memory traffic.
    bool rates_only;

    RowRates(const Score& score, const ProcessSettings& process, std::vector<B> kept)
        : process_(process), kernel_(score.kernel()), kept_(std::move(kept)),
          log_rate_(std::size_t(score.n() + 7) / 8 * 8), difference_(log_rate_.size()),
          prior_inside(!process.prior.table.empty() && !process.is_sqrt()),
          rates_only((process.is_sqrt() || process.balance == Balance::kAuto) && process.coldness >= kLeastColdness &&
                     score.n() > 64 && !score.expensive_rows()) {
        if (process.prior.table.empty()) {
            insert_step_ = process.prior.slope;
            delete_step_ = -process.prior.slope;
        }
        if (prior_inside) process_.unlikely_below = kMinusInf;  // what is unlikely would change with every jump
    }
    const ProcessSettings& process() const { return process_; }
    // Whether rows have unlikely inserts.
    bool has_unlikely() const { return process_.unlikely_below > kMinusInf; }
    // Whether a class with this number of edges has a weight.
    bool allows(int edges) const { return process_.prior.weight(edges) > kMinusInf; }

    B removable(const B& S, int y) const { return kept_.empty() ? S : S - kept_[y]; }

    // The prior step that is not part of the stored rates: with the sqrt balance it is a common factor.
    double outer_step(int edges, int by) const {
        if (process_.prior.table.empty() || prior_inside) return 0;
        return 0.5 * process_.prior.step(edges, by);
    }
    void set_steps(int edges) {
        if (!prior_inside) return;
        insert_step_ = std::max(process_.prior.step(edges, 1), -2e15);  // finite, but the rate is 0
        delete_step_ = std::max(process_.prior.step(edges, -1), -2e15);
    }

    // Computes all of a row that is new or pending.
    void compute(CachedRow<W>& row) {
        const double* difference = differences(row);
        find_log_rates(difference);
        if (!row.pending) row.insert_exponent = exponent_of_exp(largest(int(log_rate_.size()), log_rate_.data()));
        row.pending = false;  // a pending row keeps the units it was saved with
        write_rates(row, difference);
    }
    // Computes the rates again, in units that suit the candidates X.
    void change_units(CachedRow<W>& row, const B& X) {
        const double* difference = rates_only ? differences(row) : row.difference;
        find_log_rates(difference);
        double top = kMinusInf;
        X.each([&](int x) { top = std::max(top, log_rate_[x]); });
        row.insert_exponent = exponent_of_exp(top);
        write_rates(row, difference);
    }
    // All score differences of a row, valid until the next call.
    const double* all_differences(const CachedRow<W>& row) { return rates_only ? differences(row) : row.difference; }
    // The log of a rate, without the range of the stored ones.
    double log_rate(double difference, int edges, int by) const {
        return log_balance(process_, process_.log_ratio(difference, edges, by));
    }
    // The score difference of toggling x, whose rate is positive.
    double difference(const CachedRow<W>& row, int x, bool insert) const {
        if (!rates_only) return row.difference[x];
        const double exponent = insert ? row.insert_exponent : row.delete_exponent;
        const double log_ratio = log_ratio_of(fast_log(row.rate[x]) + exponent * kLn2);
        return (log_ratio - (insert ? insert_step_ : delete_step_)) / process_.coldness;
    }

  private:
    // t of a log rate log g(exp(t)): of sqrt, or of auto, with s = exp(t / 2) and weight c, where
    // g = s² + c s for s below 1 and g = 1 + c s above.
    double log_ratio_of(double log_rate) const {
        if (process_.is_sqrt()) return 2 * log_rate;
        const double c = process_.sqrt_weight;
        if (std::abs(log_rate) > 600) return 2 * (log_rate - fast_log(c));  // the other term is negligible
        const double g = fast_exp(log_rate);
        return 2 * fast_log(g < 1 + c ? 2 * g / (c + std::sqrt(c * c + 4 * g)) : (g - 1) / c);
    }
    const double* differences(const CachedRow<W>& row) {
        parents_.clear();
        row.S.each([&](int v) { parents_.push_back(v); });
        double* const out = rates_only ? difference_.data() : row.difference;
        kernel_->row(row.y, parents_, out);
        out[row.y] = -1e300;  // y is not a candidate
        return out;
    }
    void find_log_rates(const double* difference) {
        log_rates(int(log_rate_.size()), process_, process_.coldness, insert_step_, difference, log_rate_.data());
    }
    // A balance increases with the ratio, so unlikely inserts are those of the smallest rates.
    void find_likely(CachedRow<W>& row) {
        const double least = log_balance(process_, process_.unlikely_below);
        for (int x = 0; x < int(log_rate_.size()); x += 8) {
            u64 some = 0;
            for (int j = 0; j < 8; ++j) some |= u64(log_rate_[x + j] >= least) << j;
            u64& word = row.likely.at(x / 64);
            word = (word & ~(u64(255) << x % 64)) | some << x % 64;
        }
    }
    // Writes the rates in the units of the row.
    void write_rates(CachedRow<W>& row, const double* difference) {
        rates(int(log_rate_.size()), row.insert_exponent, log_rate_.data(), row.rate);
        if (has_unlikely()) find_likely(row);
        double highest = kMinusInf;
        const B removable = this->removable(row.S, row.y);
        removable.each([&](int x) {
            log_rate_[x] = log_balance(process_, process_.coldness * difference[x] + delete_step_);
            highest = std::max(highest, log_rate_[x]);
        });
        row.delete_exponent = exponent_of_exp(highest);
        row.delete_sum = 0;
        if (!kept_.empty()) row.S.each([&](int x) { row.rate[x] = 0; });
        removable.each([&](int x) { row.delete_sum += row.rate[x] = exp_shifted(log_rate_[x], row.delete_exponent); });
    }
};

}  // namespace czz
