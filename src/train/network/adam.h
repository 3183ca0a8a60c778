// Adam (Kingma, Ba 2015) on one vector of parameters, and clipping of the gradient's norm.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace quench::train {

struct Adam {
  double beta1 = 0.9, beta2 = 0.98, epsilon = 1e-9;
  std::vector<double> mean, square;  ///< running means of the gradient and of its squares
  std::size_t steps = 0;             ///< taken so far

  explicit Adam(std::size_t size) : mean(size), square(size) {}

  void step(std::span<double> parameters, std::span<const double> gradient, double rate);
};

/// Scales the gradient down to the norm `most` if it is longer; returns the norm it had.
double clip(std::span<double> gradient, double most);

}  // namespace quench::train
