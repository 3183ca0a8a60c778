// One soft row of attention in single precision, to the bit what run/reference/arithmetic.h gives with sums in float32,
// several times faster: float operations on floats round as its emulation does, keys whose weight is exactly 0 leave
// the sums as they are and are passed over, and so are whole blocks of them.
#pragma once

#include <cstddef>
#include <vector>

#include "run/reference/plan.h"

namespace quench::run {

struct RowScratch {
  std::vector<double> weights;
  std::vector<float> scores, greatest;  ///< of keys, of blocks of keys
};

struct SingleRow {
  const HeadPlan& head;
  const double* q;    ///< by component, floats
  const float* keys;  ///< component l of key j at l·stride + j
  std::size_t stride;
  std::size_t count;
  double inverse_tau;    ///< exact
  const double* values;  ///< count × d_v, floats, finite
};

/// out (d_v, zero before): Σe·v/Σe, not yet rounded to storage. False, with out as it was, if a score is not finite.
bool attend_in_single(const SingleRow& row, RowScratch& scratch, double* out);

}  // namespace quench::run
