// How the learning rate and the temperature move with the steps.
#pragma once

#include <cstddef>

#include "train/options.h"

namespace quench::train {

/// Linear up to `rate` over the warm-up, then half a cosine down to rate·last_rate. Steps count from 0.
double learning_rate(const Options& options, std::size_t step);

/// tau_from·(tau_to/tau_from)^p, p rising from 0 to 1 over the first four fifths: the last fifth trains at the final
/// temperature, which is the one the saved model has.
double temperature(const Options& options, std::size_t step);

}  // namespace quench::train
