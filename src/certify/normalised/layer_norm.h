// What a pinned layer normalisation does to data, in floating point: [Q-pins] in docs/theory-pins.md.
//
//   computed(x)_c = (1+η)(x_c − t) + e_c,   |e_c| ≤ 3u(|x_c| + T),   |t| ≤ T,
//
// with η and t the same for all coordinates of a position. A reader whose weights sum to 0 over data and ground does
// not see t. Holds for means and variances that are formed by sums in any order, from the squares of differences or of
// the numbers themselves, or by updating (Welford; Chan, Golub and LeVeque) along any tree in which the smaller part is
// added to the larger.
#pragma once

#include "bounds/upper.h"
#include "certify/certify.h"

namespace quench::certify {

constexpr double kNormEpsilon = 1.01e-5;  ///< no less than what GPT-2 and OPT add to the variance

/// Of all coordinates but the pins, the balance included.
struct DataSize {
  bounds::Upper sum;      ///< Σ|x_c|
  bounds::Upper squares;  ///< Σx_c²
  bounds::Upper drift;    ///< |Σx_c|
};

struct NormalisationError {
  bounds::Upper scale;  ///< |η|
  bounds::Upper shift;  ///< T
};

/// Infinite where the data are not small beside the pins.
NormalisationError normalisation_error(const LayerNorm& layer_norm, const DataSize& data, const bounds::Upper& u);

}  // namespace quench::certify
