// What a weighting function sees of one query's row. Masked keys are not in it: `keys` lists the visible ones in
// increasing order, and scores, weights and their gradients run parallel to it. A row without keys has no weights, so
// the attention result of an all-masked query is the zero vector.
#pragma once

#include <cstddef>
#include <span>

namespace quench::attention {

struct RowContext {
  std::size_t query = 0;                   ///< i, from 0
  std::size_t length = 0;                  ///< n: how many keys there are, visible or not
  std::span<const std::size_t> keys = {};  ///< the visible j, increasing
  std::span<const double> previous = {};   ///< weights of row i−1 over all n keys; only for MonotonicAttention
  double advantage = 0;                    ///< loss − baseline of this row; only for SampledHard
};

/// Where a weighting function's backward pass puts its results. `scores` is overwritten, `previous` is added to.
struct RowGradient {
  std::span<double> scores = {};    ///< ∂L/∂s_j
  std::span<double> previous = {};  ///< ∂L/∂α_{i−1,j} over all n keys; only for MonotonicAttention
  double parameter = 0;  ///< ∂L/∂(the function's own parameter of this row): τ(i,n) unless it says otherwise
};

/// The largest score; −∞ of none, NaN if any score is NaN.
double maximum(std::span<const double> scores);

/// Rows whose weights are decided without arithmetic: no finite maximum. All scores −∞: every weight 0, as if masked;
/// some +∞: shared evenly by those; some NaN: all NaN. Returns whether it filled in the weights.
bool fill_degenerate(std::span<const double> scores, double max, std::span<double> weights);

}  // namespace quench::attention
