// Shared by the attention tests: random inputs, and derivatives by differences.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "attention/attention.h"
#include "base/number/matrix.h"
#include "base/number/random.h"

namespace quench::attention::testing {

inline double normal(Random& random) {
  const double u = (static_cast<double>(random.bits() >> 12) + 0.5) * 0x1.0p-52;
  return std::sqrt(-2 * std::log(u)) * std::cos(2 * M_PI * random.unit());
}

inline std::vector<double> random_vector(Random& random, std::size_t size, double scale = 1) {
  std::vector<double> x(size);
  for (double& value : x) value = scale * normal(random);
  return x;
}

inline Matrix random_matrix(Random& random, std::size_t rows, std::size_t cols, double scale = 1) {
  Matrix m(rows, cols);
  m.data = random_vector(random, rows * cols, scale);
  return m;
}

inline double norm(std::span<const double> x) {
  double sum = 0;
  for (const double value : x) sum += value * value;
  return std::sqrt(sum);
}

/// ∂loss/∂x by the five-point central difference: truncation h⁴f⁽⁵⁾/30 ≈ 3e-14·f⁽⁵⁾ at h = 1e-3, rounding about
/// 1.5·u·|f|/h ≈ 2e-13·|f|. With derivatives of order 1 to 1e3 both stay well below the 1e-6 that is asked for.
inline std::vector<double> differences(std::span<double> x, const std::function<double()>& loss, double h = 1e-3) {
  std::vector<double> gradient(x.size());
  for (std::size_t c = 0; c < x.size(); ++c) {
    const double centre = x[c];
    const auto at = [&](double step) {
      x[c] = centre + step;
      return loss();
    };
    gradient[c] = (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h);
    x[c] = centre;
  }
  return gradient;
}

/// |exact − differences|₂ ≤ 1e-6·|exact|₂ (the bound), or both vanish to rounding (1e-11: 50 times the rounding
/// error of the differences above for |f| ≤ 1).
inline void expect_gradient(std::span<const double> exact, std::span<double> x, const std::function<double()>& loss,
                            const char* what) {
  const std::vector<double> numeric = differences(x, loss);
  ASSERT_EQ(exact.size(), numeric.size()) << what;
  std::vector<double> difference(numeric.size());
  for (std::size_t c = 0; c < numeric.size(); ++c) difference[c] = exact[c] - numeric[c];
  EXPECT_LE(norm(difference), 1e-6 * norm(exact) + 1e-11)
      << what << ": |exact| = " << norm(exact) << ", |numeric| = " << norm(numeric);
}

inline double inner(const Matrix& a, const Matrix& b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.data.size(); ++c) sum += a.data[c] * b.data[c];
  return sum;
}

inline double max_difference(std::span<const double> a, std::span<const double> b) {
  double largest = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t c = 0; c < std::min(a.size(), b.size()); ++c) largest = std::max(largest, std::abs(a[c] - b[c]));
  return largest;
}

}  // namespace quench::attention::testing
