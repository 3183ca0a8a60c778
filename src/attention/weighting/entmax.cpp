#include "attention/weighting/entmax.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <vector>

#include "attention/weighting/hardmax.h"
#include "attention/weighting/softmax.h"
#include "base/error.h"

namespace quench::attention {

namespace {

// (s_j − max)/τ · factor: all ≤ 0, maximisers exactly 0, so large scores lose nothing. Empty: the row is degenerate or
// τ = 0, and the weights are already filled in.
std::vector<double> shifted(std::span<const double> scores, double tau, double factor, std::span<double> weights) {
  const double max = maximum(scores);
  if (fill_degenerate(scores, max, weights)) return {};
  if (tau == 0) {
    ahardmax(scores, weights);
    return {};
  }
  std::vector<double> x(scores.size());
  std::ranges::transform(scores, x.begin(), [&](double s) { return factor * ((s - max) / tau); });
  return x;
}

std::vector<double> descending(std::vector<double> x) {
  std::ranges::sort(x, std::greater<>());
  return x;
}

}  // namespace

void sparsemax(std::span<const double> scores, double tau, std::span<double> weights) {
  const std::vector<double> z = shifted(scores, tau, 1, weights);
  if (z.empty()) return;
  const std::vector<double> sorted = descending(z);
  double sum = 0, theta = 0;
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    const double top = sorted[k - 1];
    // In the support iff 1 + k z_(k) > Σ_{l ≤ k} z_(l); written with the sum over l < k, which is exact on ties.
    if (!(1 + static_cast<double>(k - 1) * top > sum)) break;
    sum += top;
    theta = (sum - 1) / static_cast<double>(k);
  }
  std::ranges::transform(z, weights.begin(), [&](double x) { return std::max(0.0, x - theta); });
}

void entmax15(std::span<const double> scores, double tau, std::span<double> weights) {
  const std::vector<double> x = shifted(scores, tau, 0.5, weights);
  if (x.empty()) return;
  const std::vector<double> sorted = descending(x);
  double mean = 0, squares = 0, theta = 0;  // squares: Σ (x − mean)², by Welford's update
  for (std::size_t k = 1; k <= sorted.size(); ++k) {
    const double top = sorted[k - 1], before = mean;
    if (top < -1) break;  // θ ≥ −1 always, since the maximiser alone has weight (0 − θ)² ≤ 1
    mean += (top - mean) / static_cast<double>(k);
    squares += (top - before) * (top - mean);
    const double candidate = mean - std::sqrt(std::max(0.0, (1 - squares) / static_cast<double>(k)));
    if (candidate > top) break;
    theta = candidate;
  }
  const auto support = std::ranges::count_if(x, [&](double value) { return value > theta; });
  const auto maximisers = std::ranges::count(x, 0.0);
  if (support == maximisers) return ahardmax(scores, weights);
  std::ranges::transform(x, weights.begin(), [&](double value) {
    const double root = std::max(0.0, value - theta);
    return root * root;
  });
}

void entmax_bisect(std::span<const double> scores, double alpha, double tau, std::span<double> weights) {
  const std::vector<double> x = shifted(scores, tau, alpha - 1, weights);
  if (x.empty()) return;
  const double power = 1 / (alpha - 1);
  const auto weight_at = [&](double value, double theta) { return value > theta ? std::pow(value - theta, power) : 0; };
  const auto total_at = [&](double theta) {
    double total = 0;
    for (const double value : x) total += weight_at(value, theta);
    return total;
  };
  // The maximiser alone weighs 1 at θ = −1; all n of them at −n^{1−α} weigh at most 1.
  double low = -1, high = -std::pow(static_cast<double>(x.size()), 1 - alpha);
  for (double middle = std::midpoint(low, high); low < middle && middle < high; middle = std::midpoint(low, high))
    (total_at(middle) >= 1 ? low : high) = middle;
  const auto maximisers = std::ranges::count(x, 0.0);
  const double edge = -std::pow(static_cast<double>(maximisers), 1 - alpha);  // θ when only the maximisers weigh
  if (std::ranges::none_of(x, [&](double value) { return value < 0 && value > edge; }))
    return ahardmax(scores, weights);
  const double total = total_at(low);
  std::ranges::transform(x, weights.begin(), [&](double value) { return weight_at(value, low) / total; });
}

double entmax_backward(std::span<const double> scores, double alpha, double tau, std::span<const double> weights,
                       std::span<const double> d_weights, std::span<double> d_scores) {
  std::ranges::fill(d_scores, 0.0);
  const double max = maximum(scores);
  if (tau == 0 || std::isinf(max)) return 0;
  const auto curvature = [&](double weight) { return weight > 0 ? std::pow(weight, 2 - alpha) : 0.0; };
  double total = 0, weighted = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    total += curvature(weights[j]);
    weighted += curvature(weights[j]) * d_weights[j];
  }
  double d_tau = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    d_scores[j] = curvature(weights[j]) * (d_weights[j] - weighted / total) / tau;
    d_tau -= d_scores[j] * ((scores[j] - max) / tau);
  }
  return d_tau;
}

void Sparsemax::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  sparsemax(scores, tau.at_row(row.query, row.length), weights);
}

void Sparsemax::backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                         std::span<const double> d_weights, RowGradient& gradient) const {
  gradient.parameter =
      entmax_backward(scores, 2, tau.at_row(row.query, row.length), weights, d_weights, gradient.scores);
}

void Entmax::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  if (!(alpha >= 1)) throw UserError("α-entmax needs α ≥ 1");
  const double t = tau.at_row(row.query, row.length);
  if (alpha == 1) return softmax(scores, t, weights);
  if (alpha == 1.5) return entmax15(scores, t, weights);
  if (alpha == 2) return sparsemax(scores, t, weights);
  entmax_bisect(scores, alpha, t, weights);
}

void Entmax::backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                      std::span<const double> d_weights, RowGradient& gradient) const {
  // At α = 1 the curvature α_j^{2−α} is α_j itself and the formula is softmax's.
  gradient.parameter =
      entmax_backward(scores, alpha, tau.at_row(row.query, row.length), weights, d_weights, gradient.scores);
}

}  // namespace quench::attention
