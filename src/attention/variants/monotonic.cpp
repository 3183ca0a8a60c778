#include "attention/variants/monotonic.h"

#include <algorithm>
#include <vector>

#include "attention/weighting/stick_breaking.h"
#include "base/error.h"

namespace quench::attention {

namespace {

// p and q of every key, visible or not.
struct Recursion {
  std::vector<double> p, q;
};

Recursion unroll(const RowContext& row, std::span<const double> scores, double tau) {
  QUENCH_ASSERT(row.previous.size() == row.length);
  Recursion r{std::vector<double>(row.length, 0.0), std::vector<double>(row.length, 0.0)};
  for (std::size_t k = 0; k < row.keys.size(); ++k) r.p[row.keys[k]] = sigmoid(cooled(scores[k], tau));
  double walking = 0;
  for (std::size_t j = 0; j < row.length; ++j) {
    r.q[j] = walking + row.previous[j];
    walking = (1 - r.p[j]) * r.q[j];
  }
  return r;
}

}  // namespace

void MonotonicAttention::forward(const RowContext& row, std::span<const double> scores,
                                 std::span<double> weights) const {
  const Recursion r = unroll(row, scores, tau.at_row(row.query, row.length));
  for (std::size_t k = 0; k < row.keys.size(); ++k) weights[k] = r.p[row.keys[k]] * r.q[row.keys[k]];
}

void MonotonicAttention::backward(const RowContext& row, std::span<const double> scores, std::span<const double>,
                                  std::span<const double> d_weights, RowGradient& gradient) const {
  const double t = tau.at_row(row.query, row.length);
  const Recursion r = unroll(row, scores, t);
  std::ranges::fill(gradient.scores, 0.0);
  gradient.parameter = 0;
  double d_walking = 0;  // ∂L/∂((1 − p_j) q_j), the part that walks on to j + 1
  std::size_t k = row.keys.size();
  for (std::size_t j = row.length; j-- > 0;) {
    const bool visible = k > 0 && row.keys[k - 1] == j;
    const double d_alpha = visible ? d_weights[k - 1] : 0;
    if (visible && t > 0) {
      --k;
      const double z = scores[k] / t;
      const double d_z = (d_alpha - d_walking) * r.q[j] * sigmoid(z) * sigmoid(-z);
      gradient.scores[k] = d_z / t;
      if (d_z != 0) gradient.parameter -= gradient.scores[k] * z;
    } else if (visible) {
      --k;
    }
    const double d_q = d_alpha * r.p[j] + d_walking * (1 - r.p[j]);
    if (!gradient.previous.empty()) gradient.previous[j] += d_q;
    d_walking = d_q;
  }
}

void MonotonicAttention::before_first(std::span<double> previous) {
  std::ranges::fill(previous, 0.0);
  if (!previous.empty()) previous[0] = 1;
}

}  // namespace quench::attention
