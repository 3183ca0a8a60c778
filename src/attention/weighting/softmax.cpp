#include "attention/weighting/softmax.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "attention/weighting/hardmax.h"

namespace quench::attention {

void softmax(std::span<const double> scores, double tau, std::span<double> weights) {
  const double max = maximum(scores);
  if (fill_degenerate(scores, max, weights)) return;
  if (tau == 0) return ahardmax(scores, weights);
  double sum = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) sum += weights[j] = std::exp((scores[j] - max) / tau);
  for (double& weight : weights) weight /= sum;
}

double softmax_backward(std::span<const double> scores, double tau, std::span<const double> weights,
                        std::span<const double> d_weights, std::span<double> d_scores) {
  const double max = maximum(scores);
  if (tau == 0 || std::isinf(max)) {
    std::ranges::fill(d_scores, 0.0);
    return 0;
  }
  double mean = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) mean += weights[j] * d_weights[j];
  double d_tau = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    d_scores[j] = weights[j] * (d_weights[j] - mean) / tau;
    if (weights[j] != 0) d_tau -= d_scores[j] * ((scores[j] - max) / tau);
  }
  return d_tau;
}

void log_softmax(std::span<const double> scores, double tau, std::span<double> log_weights) {
  const double max = maximum(scores);
  if (tau == 0 || !std::isfinite(max)) {
    softmax(scores, tau, log_weights);
    std::ranges::transform(log_weights, log_weights.begin(), [](double weight) { return std::log(weight); });
    return;
  }
  double sum = 0;
  for (const double score : scores) sum += std::exp((score - max) / tau);
  const double log_sum = std::log(sum);
  for (std::size_t j = 0; j < scores.size(); ++j) log_weights[j] = (scores[j] - max) / tau - log_sum;
}

double log_softmax_backward(std::span<const double> scores, double tau, std::span<const double> log_weights,
                            std::span<const double> d_log_weights, std::span<double> d_scores) {
  const double max = maximum(scores);
  if (tau == 0 || std::isinf(max)) {
    std::ranges::fill(d_scores, 0.0);
    return 0;
  }
  double total = 0;
  for (const double d : d_log_weights) total += d;
  double d_tau = 0;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    d_scores[j] = (d_log_weights[j] - std::exp(log_weights[j]) * total) / tau;
    if (d_scores[j] != 0) d_tau -= d_scores[j] * ((scores[j] - max) / tau);
  }
  return d_tau;
}

void Softmax::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  softmax(scores, tau.at_row(row.query, row.length), weights);
}

void Softmax::backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                       std::span<const double> d_weights, RowGradient& gradient) const {
  gradient.parameter = softmax_backward(scores, tau.at_row(row.query, row.length), weights, d_weights, gradient.scores);
}

void LogSoftmax::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  log_softmax(scores, tau.at_row(row.query, row.length), weights);
  for (double& weight : weights) weight = std::exp(weight);
}

void LogSoftmax::backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                          std::span<const double> d_weights, RowGradient& gradient) const {
  Softmax{tau}.backward(row, scores, weights, d_weights, gradient);
}

namespace {

// ln 1 = 0 asks for infinite temperature, which a row of one key cannot tell from any other.
double scalable_tau(double s, std::size_t keys) {
  const double sharpness = s * std::log(static_cast<double>(keys));
  return sharpness > 0 ? 1 / sharpness : std::numeric_limits<double>::infinity();
}

}  // namespace

void ScalableSoftmax::forward(const RowContext&, std::span<const double> scores, std::span<double> weights) const {
  softmax(scores, scalable_tau(s, scores.size()), weights);
}

void ScalableSoftmax::backward(const RowContext&, std::span<const double> scores, std::span<const double> weights,
                               std::span<const double> d_weights, RowGradient& gradient) const {
  const double tau = scalable_tau(s, scores.size());
  const double d_tau = softmax_backward(scores, tau, weights, d_weights, gradient.scores);
  gradient.parameter = std::isinf(tau) ? 0 : -d_tau * tau / s;  // τ = 1/(s ln k), so ∂τ/∂s = −τ/s
}

}  // namespace quench::attention
