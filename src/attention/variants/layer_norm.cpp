#include "attention/variants/layer_norm.h"

#include <cmath>
#include <span>

#include "base/error.h"

namespace quench::attention {

LayerNorm LayerNorm::identity(std::size_t width) {
  return {std::vector<double>(width, 1.0), std::vector<double>(width, 0.0)};
}

namespace {

// (x − mean)/√(variance + ε) into `unit`; returns 1/√(variance + ε), 0 if that is infinite.
double standardise(std::span<const double> x, double epsilon, std::span<double> unit) {
  const double d = static_cast<double>(x.size());
  double mean = 0, variance = 0;
  for (const double value : x) mean += value / d;
  for (const double value : x) variance += (value - mean) * (value - mean) / d;
  const double inverse = variance + epsilon > 0 ? 1 / std::sqrt(variance + epsilon) : 0;
  for (std::size_t c = 0; c < x.size(); ++c) unit[c] = (x[c] - mean) * inverse;
  return inverse;
}

void check(const LayerNorm& norm, std::size_t width) {
  if (norm.gain.size() != width || norm.bias.size() != width)
    throw UserError("gain and bias of a layer norm must be as wide as its rows");
}

}  // namespace

Matrix layer_norm(const LayerNorm& norm, Rows<const double> x) {
  check(norm, x.cols);
  Matrix y(x.rows, x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const auto row = Rows<double>(y)[r];
    standardise(x[r], norm.epsilon, row);
    for (std::size_t c = 0; c < x.cols; ++c) row[c] = norm.gain[c] * row[c] + norm.bias[c];
  }
  return y;
}

// With u the standardised row and g = gain ⊙ ∂L/∂y:  ∂L/∂x = (g − mean(g) − u·mean(g ⊙ u))/√(variance + ε).
LayerNormGradients layer_norm_backward(const LayerNorm& norm, Rows<const double> x, Rows<const double> d_y) {
  check(norm, x.cols);
  LayerNormGradients result{Matrix(x.rows, x.cols), std::vector<double>(x.cols), std::vector<double>(x.cols)};
  std::vector<double> unit(x.cols);
  const double d = static_cast<double>(x.cols);
  for (std::size_t r = 0; r < x.rows; ++r) {
    const double inverse = standardise(x[r], norm.epsilon, unit);
    double mean = 0, along = 0;
    for (std::size_t c = 0; c < x.cols; ++c) {
      mean += norm.gain[c] * d_y(r, c) / d;
      along += norm.gain[c] * d_y(r, c) * unit[c] / d;
      result.gain[c] += d_y(r, c) * unit[c];
      result.bias[c] += d_y(r, c);
    }
    for (std::size_t c = 0; c < x.cols; ++c)
      result.x(r, c) = inverse * (norm.gain[c] * d_y(r, c) - mean - unit[c] * along);
  }
  return result;
}

}  // namespace quench::attention
