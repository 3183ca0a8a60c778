#include "attention/weighting/sampled.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "attention/weighting/hardmax.h"
#include "attention/weighting/keyed_random.h"
#include "attention/weighting/softmax.h"
#include "base/error.h"

namespace quench::attention {

namespace {

std::vector<double> with_gumbel(const RowContext& row, std::span<const double> scores, std::uint64_t seed) {
  std::vector<double> noisy(scores.begin(), scores.end());
  for (std::size_t j = 0; j < noisy.size(); ++j) noisy[j] += keyed_gumbel(seed, row.query, row.keys[j]);
  return noisy;
}

}  // namespace

void GumbelSoftmax::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  const std::vector<double> noisy = with_gumbel(row, scores, seed);
  if (straight_through) return lhardmax(noisy, weights);
  softmax(noisy, tau.at_row(row.query, row.length), weights);
}

void GumbelSoftmax::backward(const RowContext& row, std::span<const double> scores, std::span<const double>,
                             std::span<const double> d_weights, RowGradient& gradient) const {
  const std::vector<double> noisy = with_gumbel(row, scores, seed);
  std::vector<double> soft(scores.size());
  const double t = tau.at_row(row.query, row.length);
  softmax(noisy, t, soft);
  gradient.parameter = softmax_backward(noisy, t, soft, d_weights, gradient.scores);
}

void StraightThrough::forward(const RowContext&, std::span<const double> scores, std::span<double> weights) const {
  lhardmax(scores, weights);
}

void StraightThrough::backward(const RowContext& row, std::span<const double> scores, std::span<const double>,
                               std::span<const double> d_weights, RowGradient& gradient) const {
  std::vector<double> soft(scores.size());
  const double t = tau.at_row(row.query, row.length);
  softmax(scores, t, soft);
  gradient.parameter = softmax_backward(scores, t, soft, d_weights, gradient.scores);
}

std::size_t draw(std::span<const double> weights, double u) {
  double cumulative = 0;
  std::size_t last = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    if (weights[j] == 0) continue;
    cumulative += weights[j];
    last = j;
    if (u < cumulative) return j;
  }
  return last;  // rounding left the sum below u
}

void SampledHard::forward(const RowContext& row, std::span<const double> scores, std::span<double> weights) const {
  softmax(scores, tau.at_row(row.query, row.length), weights);
  if (std::ranges::none_of(weights, [](double weight) { return weight > 0; })) return;
  const std::size_t chosen = draw(weights, keyed_unit(seed, row.query, row.length));
  std::ranges::fill(weights, 0.0);
  weights[chosen] = 1;
}

double reinforce(std::span<const double> scores, double tau, std::size_t chosen, double advantage,
                 std::span<double> d_scores) {
  std::vector<double> log_weights(scores.size()), d_log_weights(scores.size(), 0.0);
  log_softmax(scores, tau, log_weights);
  d_log_weights[chosen] = advantage;
  return log_softmax_backward(scores, tau, log_weights, d_log_weights, d_scores);
}

void SampledHard::backward(const RowContext& row, std::span<const double> scores, std::span<const double> weights,
                           std::span<const double>, RowGradient& gradient) const {
  const auto chosen = std::ranges::find(weights, 1.0);
  if (chosen == weights.end()) {
    std::ranges::fill(gradient.scores, 0.0);
    gradient.parameter = 0;
    return;
  }
  gradient.parameter = reinforce(scores, tau.at_row(row.query, row.length),
                                 static_cast<std::size_t>(chosen - weights.begin()), row.advantage, gradient.scores);
}

void MovingBaseline::update(double loss) {
  value_ = started_ ? decay_ * value_ + (1 - decay_) * loss : loss;
  started_ = true;
}

std::vector<double> leave_one_out_baselines(std::span<const double> losses) {
  if (losses.size() < 2) throw UserError("a leave-one-out baseline needs at least two losses");
  const double total = std::accumulate(losses.begin(), losses.end(), 0.0);
  std::vector<double> baselines;
  for (const double loss : losses) baselines.push_back((total - loss) / static_cast<double>(losses.size() - 1));
  return baselines;
}

}  // namespace quench::attention
