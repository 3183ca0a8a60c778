#include "attention/weighting/hardmax.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace quench::attention {

namespace {

enum class Side { left, right };

void one_maximiser(std::span<const double> scores, std::span<double> weights, Side side) {
  const double max = maximum(scores);
  if (std::isnan(max) || max == -INFINITY) {
    fill_degenerate(scores, max, weights);
    return;
  }
  std::ranges::fill(weights, 0.0);
  const auto chosen = side == Side::left ? std::ranges::find(scores, max) - scores.begin()
                                         : scores.rend() - std::find(scores.rbegin(), scores.rend(), max) - 1;
  weights[static_cast<std::size_t>(chosen)] = 1;
}

}  // namespace

void lhardmax(std::span<const double> scores, std::span<double> weights) { one_maximiser(scores, weights, Side::left); }

void rhardmax(std::span<const double> scores, std::span<double> weights) {
  one_maximiser(scores, weights, Side::right);
}

void ahardmax(std::span<const double> scores, std::span<double> weights) {
  const double max = maximum(scores);
  if (fill_degenerate(scores, max, weights)) return;
  const auto maximisers = static_cast<double>(std::ranges::count(scores, max));
  std::ranges::transform(scores, weights.begin(), [&](double s) { return s == max ? 1 / maximisers : 0.0; });
}

void Hardmax::forward(const RowContext&, std::span<const double> scores, std::span<double> weights) const {
  switch (kind) {
    case Weighting::lhardmax:
      return lhardmax(scores, weights);
    case Weighting::rhardmax:
      return rhardmax(scores, weights);
    case Weighting::ahardmax:
      return ahardmax(scores, weights);
    case Weighting::soft:
      throw UserError("`soft` is not a hard weighting function");
  }
}

void Hardmax::backward(const RowContext&, std::span<const double>, std::span<const double>, std::span<const double>,
                       RowGradient& gradient) const {
  std::ranges::fill(gradient.scores, 0.0);
  gradient.parameter = 0;
}

}  // namespace quench::attention
