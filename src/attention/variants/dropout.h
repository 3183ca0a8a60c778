// Dropout on attention weights: each weight is zeroed with probability p and the others are divided by 1 − p, so the
// expected weight is unchanged. Which ones is a function of (seed, i, j): the same in forward and backward, on every
// machine and for every thread count.
#pragma once

#include <cstdint>

#include "attention/weighting/keyed_random.h"

namespace quench::attention {

struct Dropout {
  double probability = 0;  ///< in [0, 1)
  std::uint64_t seed = 0;

  /// 0 or 1/(1 − p).
  double factor(std::size_t i, std::size_t j) const {
    return keyed_unit(seed, i, j) < probability ? 0.0 : 1 / (1 - probability);
  }
};

}  // namespace quench::attention
