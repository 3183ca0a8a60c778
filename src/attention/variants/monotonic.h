// Monotonic attention (Raffel, Luong, Liu, Weiss, Eck 2017), its expectation in training form: the alignment starts
// where the previous query's ended and walks to the right, stopping at key j with probability p_ij = σ(s_ij/τ).
//
//   q_ij = (1 − p_{i,j−1}) q_{i,j−1} + α_{i−1,j}        α_ij = p_ij q_ij        α_{−1} = (1, 0, 0, …)
//
// A masked key is never stopped at (p = 0). The weights sum to at most 1: a walk that leaves on the right is lost, for
// this row and all later ones. τ → 0: the first j at or after the previous one with s_ij > 0, else nothing.
// The row depends on the row before it, so rows are computed in order and a backward pass keeps all of them (n × m).
// Gradient: the reverse recursion, to the scores, to τ (the parameter) and to the previous row.
#pragma once

#include <span>

#include "attention/row.h"
#include "attention/weighting/tau.h"

namespace quench::attention {

struct MonotonicAttention {
  Tau tau = {};
  /// Needs row.previous (of row.length entries); see `before_first` for row 0.
  void forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const;
  /// Adds to gradient.previous.
  void backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                std::span<const double> d_weights, RowGradient& gradient) const;

  /// α_{−1}: all weight on the first key.
  static void before_first(std::span<double> previous);
};

}  // namespace quench::attention
