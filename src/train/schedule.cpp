#include "train/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace quench::train {

double learning_rate(const Options& options, std::size_t step) {
  const std::size_t warm_up = std::min(options.warm_up, options.steps / 2);
  if (step < warm_up) return options.rate * static_cast<double>(step + 1) / static_cast<double>(warm_up);
  const double done = static_cast<double>(step - warm_up) / static_cast<double>(options.steps - warm_up);
  const double wave = (1 + std::cos(std::numbers::pi * std::min(done, 1.0))) / 2;
  return options.rate * (options.last_rate + (1 - options.last_rate) * wave);
}

double temperature(const Options& options, std::size_t step) {
  const double done = std::min(1.0, static_cast<double>(step) / (0.8 * static_cast<double>(options.steps)));
  if (done == 1) return options.tau_to;  // exactly: it is folded into the weights
  return options.tau_from * std::pow(options.tau_to / options.tau_from, done);
}

}  // namespace quench::train
