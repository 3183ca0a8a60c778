#include "attention/weighting/stick_breaking.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace quench::attention {

double log_sigmoid(double z) { return z >= 0 ? -std::log1p(std::exp(-z)) : z - std::log1p(std::exp(z)); }

double sigmoid(double z) { return z >= 0 ? 1 / (1 + std::exp(-z)) : std::exp(z) / (1 + std::exp(z)); }

double remainder(std::span<const double> weights) {
  return std::max(0.0, 1 - std::accumulate(weights.begin(), weights.end(), 0.0));
}

namespace {

using Walk = std::vector<std::size_t>;  // indices into the row, in the order in which they are visited

void walk_forward(const Walk& walk, std::span<const double> scores, double tau, std::span<double> weights) {
  double log_left = 0;
  for (const std::size_t j : walk) {
    const double z = cooled(scores[j], tau);
    weights[j] = std::exp(log_sigmoid(z) + log_left);
    log_left += log_sigmoid(-z);
  }
}

// ∂L/∂scores for the keys of the walk; returns ∂L/∂τ.
double walk_backward(const Walk& walk, std::span<const double> scores, double tau, std::span<const double> weights,
                     std::span<const double> d_weights, std::span<double> d_scores) {
  if (tau == 0) return 0;
  double later = 0, d_tau = 0;  // later: Σ g_k A_k over the keys visited after j
  for (auto at = walk.rbegin(); at != walk.rend(); ++at) {
    const std::size_t j = *at;
    const double z = scores[j] / tau, here = d_weights[j] * weights[j];
    const double d_z = sigmoid(-z) * here - sigmoid(z) * later;
    d_scores[j] = d_z / tau;
    if (d_z != 0) d_tau -= d_scores[j] * z;
    later += here;
  }
  return d_tau;
}

Walk right_to_left(std::size_t keys) {
  Walk walk(keys);
  std::iota(walk.rbegin(), walk.rend(), std::size_t{0});
  return walk;
}

// Nearest first, the right one of two at the same distance first, without the query itself: a merge of the keys right
// of i (outwards) and left of i (outwards).
Walk outwards(const RowContext& row) {
  const auto& keys = row.keys;
  std::size_t right = static_cast<std::size_t>(std::ranges::upper_bound(keys, row.query) - keys.begin());
  std::size_t left = static_cast<std::size_t>(std::ranges::lower_bound(keys, row.query) - keys.begin());
  Walk walk;
  walk.reserve(keys.size());
  while (right < keys.size() || left > 0) {
    const bool go_right = left == 0 || (right < keys.size() && keys[right] - row.query <= row.query - keys[left - 1]);
    walk.push_back(go_right ? right++ : --left);
  }
  return walk;
}

}  // namespace

void StickBreaking::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  walk_forward(right_to_left(scores.size()), scores, tau.at_row(row.query, row.length), weights);
}

void StickBreaking::backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                             std::span<const double> d_weights, RowGradient& gradient) const {
  std::ranges::fill(gradient.scores, 0.0);
  gradient.parameter = walk_backward(right_to_left(scores.size()), scores, tau.at_row(row.query, row.length), weights,
                                     d_weights, gradient.scores);
}

void GeometricAttention::forward(const RowContext& row, std::span<const double> scores,
                                 std::span<double> weights) const {
  std::ranges::fill(weights, 0.0);
  walk_forward(outwards(row), scores, tau.at_row(row.query, row.length), weights);
  if (!normalised) return;
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total != 0)
    for (double& weight : weights) weight /= total;
}

void GeometricAttention::backward(const RowContext& row, std::span<const double> scores,
                                  std::span<const double> weights, std::span<const double> d_weights,
                                  RowGradient& gradient) const {
  std::ranges::fill(gradient.scores, 0.0);
  const double t = tau.at_row(row.query, row.length);
  if (!normalised) {
    gradient.parameter = walk_backward(outwards(row), scores, t, weights, d_weights, gradient.scores);
    return;
  }
  // α = A/ΣA: ∂L/∂A_j = (g_j − Σ_k α_k g_k)/ΣA.
  std::vector<double> raw(scores.size()), d_raw(scores.size());
  GeometricAttention{tau, false}.forward(row, scores, raw);
  const double total = std::accumulate(raw.begin(), raw.end(), 0.0);
  const double mean = std::inner_product(weights.begin(), weights.end(), d_weights.begin(), 0.0);
  if (total == 0) return;
  for (std::size_t j = 0; j < raw.size(); ++j) d_raw[j] = (d_weights[j] - mean) / total;
  gradient.parameter = walk_backward(outwards(row), scores, t, raw, d_raw, gradient.scores);
}

}  // namespace quench::attention
