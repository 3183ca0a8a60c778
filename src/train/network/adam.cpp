#include "train/network/adam.h"

#include <cmath>

namespace quench::train {

void Adam::step(std::span<double> parameters, std::span<const double> gradient, double rate) {
  ++steps;
  const double t = static_cast<double>(steps);
  const double mean_scale = 1 / (1 - std::pow(beta1, t)), square_scale = 1 / (1 - std::pow(beta2, t));
  for (std::size_t p = 0; p < parameters.size(); ++p) {
    mean[p] = beta1 * mean[p] + (1 - beta1) * gradient[p];
    square[p] = beta2 * square[p] + (1 - beta2) * gradient[p] * gradient[p];
    parameters[p] -= rate * (mean[p] * mean_scale) / (std::sqrt(square[p] * square_scale) + epsilon);
  }
}

double clip(std::span<double> gradient, double most) {
  double squares = 0;
  for (const double g : gradient) squares += g * g;
  const double norm = std::sqrt(squares);
  if (norm > most)
    for (double& g : gradient) g *= most / norm;
  return norm;
}

}  // namespace quench::train
