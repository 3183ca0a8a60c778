#include "attention/score/product.h"

#include <cmath>

#include "base/error.h"

namespace quench::attention {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t c = 0; c < a.size(); ++c) sum += a[c] * b[c];
  return sum;
}

void add_scaled(double factor, std::span<const double> x, std::span<double> y) {
  if (factor == 0) return;
  for (std::size_t c = 0; c < x.size(); ++c) y[c] += factor * x[c];
}

void add(Rows<const double> a, Rows<double> b) {
  QUENCH_ASSERT(a.rows == b.rows && a.cols == b.cols);
  for (std::size_t r = 0; r < a.rows; ++r) add_scaled(1, a[r], b[r]);
}

Matrix product(Rows<const double> a, Rows<const double> b) {
  QUENCH_ASSERT(a.cols == b.rows);
  Matrix result(a.rows, b.cols);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < a.cols; ++c) add_scaled(a(r, c), b[c], Rows<double>(result)[r]);
  return result;
}

Matrix product_transposed(Rows<const double> a, Rows<const double> b) {
  QUENCH_ASSERT(a.cols == b.cols);
  Matrix result(a.rows, b.rows);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < b.rows; ++c) result(r, c) = dot(a[r], b[c]);
  return result;
}

Matrix transposed_product(Rows<const double> a, Rows<const double> b) {
  QUENCH_ASSERT(a.rows == b.rows);
  Matrix result(a.cols, b.cols);
  for (std::size_t r = 0; r < a.rows; ++r)
    for (std::size_t c = 0; c < a.cols; ++c) add_scaled(a(r, c), b[r], Rows<double>(result)[c]);
  return result;
}

double unit(std::span<const double> x, std::span<double> result) {
  // Scaled by the largest entry first, so that squares neither overflow nor vanish.
  double largest = 0;
  for (const double value : x) largest = std::isnan(value) ? value : std::max(std::abs(value), largest);
  if (largest == 0) {
    std::ranges::fill(result, 0.0);
    return 0;
  }
  double squares = 0;
  for (const double value : x) squares += (value / largest) * (value / largest);
  const double root = std::sqrt(squares);
  for (std::size_t c = 0; c < x.size(); ++c) result[c] = x[c] / largest / root;
  return largest * root;
}

void unit_backward(std::span<const double> u, double norm, std::span<const double> d_u, std::span<double> d_x) {
  if (norm == 0 || std::ranges::all_of(d_u, [](double d) { return d == 0; })) return;
  const double along = dot(u, d_u);
  for (std::size_t c = 0; c < u.size(); ++c) d_x[c] += (d_u[c] - along * u[c]) / norm;
}

}  // namespace quench::attention
