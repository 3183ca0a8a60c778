// Numbers of p significant bits, without limits of exponents: what the bounds are about, in formats small enough to try
// everything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

#include "base/number/random.h"

namespace quench::test {

/// To p bits, towards zero, away from it or to nearest, ties to even.
inline double rounded(double x, int p, int way = 2) {
  if (x == 0) return 0;
  const double step = std::exp2(std::ilogb(x) + 1 - p);
  if (way == 2) return std::nearbyint(x / step) * step;
  const double down = std::trunc(x / step) * step;
  return down == x || way == 0 ? down : down + std::copysign(step, x);
}

inline bool fits(double x, int p) { return rounded(x, p) == x; }

/// Whether every sum of some of the terms is a number of p bits: exact in any order. At most twenty terms.
inline bool exact_in_any_order(const std::vector<double>& terms, int p) {
  std::vector<double> sums{0};
  for (const double term : terms)
    for (std::size_t k = 0, count = sums.size(); k < count; ++k) {
      sums.push_back(sums[k] + term);
      if (!fits(sums.back(), p)) return false;
    }
  return true;
}

/// Added up by pairs at random, each sum rounded.
inline double summed_at_random(std::vector<double> terms, int p, Random& random, int way = 2) {
  while (terms.size() > 1) {
    std::swap(terms[random.below(terms.size())], terms.back());
    double& other = terms[random.below(terms.size() - 1)];
    other = rounded(other + terms.back(), p, way);
    terms.pop_back();
  }
  return terms.empty() ? 0 : terms[0];
}

}  // namespace quench::test
