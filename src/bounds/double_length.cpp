#include "bounds/double_length.h"

#include <algorithm>
#include <cmath>

namespace quench::bounds {

double double_length_by_sign(const ComparisonWeights& weights, double constant) {
  const double s = weights.total();
  if (s + std::fabs(constant) + 1 > 0x1p45) return 0;
  const double exact_sums = 0x1p53 / s;
  return weights.mixed() ? std::min(exact_sums, std::sqrt(0x1p47 / s)) : exact_sums;
}

double double_length_by_lookup(const ComparisonWeights& weights, std::size_t counts, double constant) {
  const double s = weights.total(), room = 0x1p49 / (3 * static_cast<double>(counts) + 36) - std::fabs(constant);
  return std::clamp(room / s - 2, 0.0, 0x1p20);
}

}  // namespace quench::bounds
