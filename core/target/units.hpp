// Rates, and the units in which rates and times are stored.
//
// The log weights of classes differ by up to millions, so a rate itself may be beyond the range of a double. Every
// number below is a double in a unit of its own; the unit is a power, whose exponent is stored as another double. From
// the inside outwards:
//
//   rates of a row       CachedRow::rate, in 2^insert_exponent for x outside S and 2^delete_exponent for x in S. The
//                        exponents are about those of the largest rate of the row, or of its present candidates.
//   sums of a block      InsertBlock::sum, total and peak, over the candidates of a clique: in 2^insert_exponent of its
//                        row.
//   weights              InsertBlock::inserts and deletes, and inserts_ and deletes_ of a target, which sum them by row
//                        and overall: in 2^insert_unit and 2^delete_unit of BlockWeights (scored; the largest block is
//                        about 1, and others are chosen if a total leaves 2^±400) or 2^shift_ (uniform, where they are
//                        counts of operators). InsertBlock::unit = 2^(insert_exponent − insert_unit) converts a sum to
//                        a weight.
//   log scales           insert_log_scale() and delete_log_scale() of a target: the natural logarithms of the units of
//                        its two totals, with the factor that all rates of a kind have in common.
//   Λ₊ and Λ₋            Rates, in one unit, exp(log_unit), the larger of the two scales. gap_ is their difference, and
//                        gap_factor_ = exp(−|gap_|) converts the total with the smaller one.
//   times                in 2^unit. NextEvent chooses it when the first event is drawn, and again if a mean
//                        holding time is above 2^400 units. unit_per_rate_ = exp(−log_unit) / 2^unit, so that a total
//                        rate in the unit of Rates has the mean holding time unit_per_rate_ / total.
//   rates of moves       given per time 1, as binary logarithms; move_rate_ is their sum in the unit of Rates,
//                        unit_per_rate_ · 2^(log2_rate + unit).
//
// Exponents are integers except for log scales, so a change of units changes no bit of what does not underflow.
#pragma once

namespace czz {

struct Rates {
    double insert = 0, remove = 0;  // Λ₊, Λ₋ in units of exp(log_unit)
    double log_unit = 0;
};

}  // namespace czz
