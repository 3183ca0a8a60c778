// Hard attention: the limits the soft functions approach.
//
//   lhardmax: weight 1 on the leftmost maximiser · rhardmax: on the rightmost · ahardmax: shared evenly by all   [Def.
//   3]
//
// They have no temperature (dividing the scores by τ > 0 changes nothing) and are locally constant, so their gradient
// to the scores is zero wherever it exists; training through them needs an estimator (attention/weighting/sampled.h).
#pragma once

#include <span>

#include "attention/row.h"
#include "base/attention_kind.h"

namespace quench::attention {

void lhardmax(std::span<const double> scores, std::span<double> weights);
void rhardmax(std::span<const double> scores, std::span<double> weights);
void ahardmax(std::span<const double> scores, std::span<double> weights);

/// Which of the three; `Weighting::soft` is not one of them and throws UserError.
struct Hardmax {
  Weighting kind = Weighting::ahardmax;
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;
};

}  // namespace quench::attention
