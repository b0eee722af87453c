// The rates of a row from the differences of the score, by the settings of the process.
#pragma once
#include "scores/score.hpp"
#include "target/process_settings.hpp"
#include "target/row_cache.hpp"

namespace czz {

template <int W>
class RowRates {
    using B = Bits<W>;
    ProcessSettings process_;
    std::unique_ptr<RowKernel> kernel_;
    double insert_step_ = 0, delete_step_ = 0;  // prior steps inside the rates
    std::vector<B> kept_;                       // deletes that do not exist: x in kept_[y]; empty if all do
    int n_, columns_;                           // of a row: nodes, and numbers, a multiple of 8
    std::vector<int> parents_;
    std::vector<double> difference_;

  public:
    bool prior_inside;  // the prior step depends on the number of edges and does not factor out of the balance
    // Rows of many columns store no differences, except of deletes, in place of their rates: half the memory and half
    // the memory traffic. The difference of an insert is then that of its inverse, in the row of the class it leads to.
    bool rates_only;

    RowRates(const Score& score, const ProcessSettings& process, std::vector<B> kept)
        : process_(process), kernel_(score.kernel()), kept_(std::move(kept)), n_(score.n()), columns_((n_ + 7) / 8 * 8),
          difference_(std::size_t(columns_)), prior_inside(!process.prior.table.empty() && !process.is_sqrt()),
          rates_only(score.n() > 64 && !score.expensive_rows() && !prior_inside) {
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
        const double top = largest(columns_, difference);
        if (!row.pending) row.insert_exponent = exponent(top);
        row.pending = false;  // a pending row keeps the units it was saved with
        write_rates(row, difference, top);
    }
    // Computes the rates again, in units that suit the candidates X.
    void change_units(CachedRow<W>& row, const B& X) {
        const double* difference = rates_only ? differences(row) : row.difference;
        double top = kMinusInf;
        X.each([&](int x) { top = std::max(top, difference[x]); });
        row.insert_exponent = exponent(top);
        write_rates(row, difference, largest(columns_, difference));
    }
    // All score differences of a row, valid until the next call.
    const double* all_differences(const CachedRow<W>& row) { return rates_only ? differences(row) : row.difference; }
    // The log of a rate, without the range of the stored ones.
    double log_rate(double difference, int edges, int by) const {
        return log_balance(process_, process_.log_ratio(difference, edges, by));
    }
    // The score difference and the rate of deleting x.
    double delete_difference(const CachedRow<W>& row, int x) const {
        return rates_only ? row.rate[x] : row.difference[x];
    }
    double delete_rate(const CachedRow<W>& row, int x) const {
        return rates_only ? exp_shifted(log_delete_rate(row.rate[x]), row.delete_exponent) : row.rate[x];
    }

  private:
    const double* differences(const CachedRow<W>& row) {
        parents_.clear();
        row.S.each([&](int v) { parents_.push_back(v); });
        double* const out = rates_only ? difference_.data() : row.difference;
        kernel_->row(row.y, parents_, out);
        out[row.y] = -1e300;  // y is not a candidate
        return out;
    }
    double log_delete_rate(double difference) const {
        return log_balance(process_, process_.coldness * difference + delete_step_);
    }
    double log_ratio(double difference) const { return process_.coldness * difference + insert_step_; }
    // The binary exponent of the rate of an insert.
    double exponent(double difference) const { return exponent_of_exp(log_balance(process_, log_ratio(difference))); }
    void find_likely(CachedRow<W>& row, const double* difference) {
        const double coldness = process_.coldness, least = process_.unlikely_below - insert_step_;
        for (int x = 0; x < columns_; x += 8) {
            u64 some = 0;
            for (int j = 0; j < 8; ++j) some |= u64(coldness * difference[x + j] >= least) << j;
            u64& word = row.likely.at(x / 64);
            word = (word & ~(u64(255) << x % 64)) | some << x % 64;
        }
        for (int x = n_; x < columns_; ++x) row.likely.reset(x);
    }
    // Writes the rates in the units of the row; `top` is the largest difference.
    void write_rates(CachedRow<W>& row, const double* difference, double top) {
        rates(columns_, process_, process_.coldness, insert_step_, log_ratio(top), row.insert_exponent, difference,
              row.rate);
        if (has_unlikely()) find_likely(row, difference);
        double highest = kMinusInf;
        const B removable = this->removable(row.S, row.y);
        removable.each([&](int x) { highest = std::max(highest, log_delete_rate(difference[x])); });
        row.delete_exponent = exponent_of_exp(highest);
        row.delete_sum = 0;
        removable.each([&](int x) {
            const double rate = exp_shifted(log_delete_rate(difference[x]), row.delete_exponent);
            row.delete_sum += rate;
            row.rate[x] = rates_only ? difference[x] : rate;
        });
    }
};

}  // namespace czz
