// Layer normalisation of each row: y = gain ⊙ (x − mean)/√(variance + ε) + bias. With it, scores stay in the range
// where softmax passes gradients. ε = 0 is allowed (a constant row then becomes the bias).
#pragma once

#include <vector>

#include "attention/rows.h"
#include "base/number/matrix.h"

namespace quench::attention {

struct LayerNorm {
  std::vector<double> gain, bias;
  double epsilon = 1e-5;

  /// Gain 1, bias 0.
  static LayerNorm identity(std::size_t width);
};

struct LayerNormGradients {
  Matrix x;
  std::vector<double> gain, bias;
};

Matrix layer_norm(const LayerNorm& norm, Rows<const double> x);
LayerNormGradients layer_norm_backward(const LayerNorm& norm, Rows<const double> x, Rows<const double> d_y);

}  // namespace quench::attention
