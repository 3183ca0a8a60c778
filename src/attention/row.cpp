#include "attention/row.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace quench::attention {

double maximum(std::span<const double> scores) {
  double max = -std::numeric_limits<double>::infinity();
  for (const double score : scores) {
    if (std::isnan(score)) return score;
    max = std::max(max, score);
  }
  return max;
}

bool fill_degenerate(std::span<const double> scores, double max, std::span<double> weights) {
  if (std::isfinite(max)) return false;
  if (std::isnan(max)) {
    std::ranges::fill(weights, max);
  } else if (max < 0) {
    std::ranges::fill(weights, 0.0);
  } else {
    const auto infinite = static_cast<double>(std::ranges::count(scores, max));
    std::ranges::transform(scores, weights.begin(), [&](double s) { return s == max ? 1 / infinite : 0.0; });
  }
  return true;
}

}  // namespace quench::attention
