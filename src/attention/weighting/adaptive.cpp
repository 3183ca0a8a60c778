#include "attention/weighting/adaptive.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "attention/weighting/hardmax.h"
#include "attention/weighting/softmax.h"
#include "base/error.h"

namespace quench::attention {

double entropy(std::span<const double> weights) {
  double sum = 0;
  for (const double weight : weights)
    if (weight != 0) sum -= weight * std::log(weight);
  return sum;
}

namespace {
double polynomial(double h) { return -1.791 + h * (4.917 + h * (-2.3 + h * (0.481 + h * -0.037))); }
double polynomial_slope(double h) { return 4.917 + h * (-4.6 + h * (1.443 + h * -0.148)); }
}  // namespace

double EntropyAdaptive::sharpness(double h) { return h > 0.5 ? std::max(1.0, polynomial(h)) : 1.0; }

double EntropyAdaptive::sharpness_slope(double h) { return h > 0.5 && polynomial(h) > 1 ? polynomial_slope(h) : 0.0; }

void EntropyAdaptive::forward(const RowContext&, std::span<const double> scores, std::span<double> weights) const {
  softmax(scores, 1, weights);
  softmax(scores, 1 / sharpness(entropy(weights)), weights);
}

void EntropyAdaptive::backward(const RowContext&, std::span<const double> scores, std::span<const double> weights,
                               std::span<const double> d_weights, RowGradient& gradient) const {
  std::vector<double> plain(scores.size());
  softmax(scores, 1, plain);
  const double h = entropy(plain), beta = sharpness(h);
  const double d_tau = softmax_backward(scores, 1 / beta, weights, d_weights, gradient.scores);
  const double d_beta = -d_tau / (beta * beta);
  const double d_entropy = d_beta * sharpness_slope(h);
  gradient.parameter = 0;
  if (d_entropy == 0) return;
  for (std::size_t j = 0; j < plain.size(); ++j)
    if (plain[j] != 0) gradient.scores[j] -= d_entropy * plain[j] * (std::log(plain[j]) + h);
}

namespace {

struct Gap {
  std::size_t first = 0, second = 0;  // a maximiser, and a largest key below it
  double size = 0;                    // 0: all scores are equal
};

Gap find_gap(std::span<const double> scores) {
  Gap gap;
  gap.first = static_cast<std::size_t>(std::ranges::max_element(scores) - scores.begin());
  double runner_up = -INFINITY;
  for (std::size_t j = 0; j < scores.size(); ++j) {
    if (scores[j] < scores[gap.first] && scores[j] > runner_up) {
      runner_up = scores[j];
      gap.second = j;
    }
  }
  gap.size = std::isfinite(runner_up) ? scores[gap.first] - runner_up : 0;
  return gap;
}

double log_ratio(std::size_t keys, double epsilon) {
  if (!(epsilon > 0 && epsilon <= 1)) throw UserError("gap-adaptive temperature needs 0 < ε ≤ 1");
  return std::log(2 * static_cast<double>(keys) / epsilon);
}

}  // namespace

void GapAdaptive::forward(const RowContext&, std::span<const double> scores, std::span<double> weights) const {
  if (fill_degenerate(scores, maximum(scores), weights)) return;
  // A gap of 0 means one distinct finite score; any temperature gives the same row, so take the limit. A gap beyond the
  // largest double would make τ infinite: ahardmax is within ε there too.
  const double tau = find_gap(scores).size / log_ratio(scores.size(), epsilon);
  softmax(scores, std::isfinite(tau) ? tau : 0, weights);
}

void GapAdaptive::backward(const RowContext&, std::span<const double> scores, std::span<const double> weights,
                           std::span<const double> d_weights, RowGradient& gradient) const {
  std::ranges::fill(gradient.scores, 0.0);
  gradient.parameter = 0;
  const double max = maximum(scores);
  if (std::isinf(max)) return;
  const Gap gap = find_gap(scores);
  const double log_2k = log_ratio(scores.size(), epsilon), tau = gap.size / log_2k;
  // All equal: any change opens a gap at once, so there is no derivative; 0 keeps training finite.
  if (gap.size == 0 || std::isinf(gap.size)) return;
  const double d_tau = softmax_backward(scores, tau, weights, d_weights, gradient.scores);
  gradient.scores[gap.first] += d_tau / log_2k;
  gradient.scores[gap.second] -= d_tau / log_2k;
  gradient.parameter = d_tau * gap.size / (log_2k * log_2k * epsilon);
}

}  // namespace quench::attention
