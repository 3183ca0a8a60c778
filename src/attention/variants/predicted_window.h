// Luong's local attention with a predicted centre ("local-p"). For n keys at positions 1 … n and a query q,
//
//   p = n·σ(v·tanh(W q))        only keys with |position − p| ≤ D are visible        σ_D = D/2
//   α_j = weighting(scores of those)_j · exp(−(position_j − p)²/(2σ_D²))
//
// The weights are not normalised again, so they sum to less than 1 (a key at the centre keeps its weight). p is real
// and differentiable through the Gaussian; a key entering or leaving the window is a jump, and there is no gradient for
// it. The fixed-window form ("local-m") is the mask Visibility::window.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/number/matrix.h"

namespace quench::attention {

struct PredictedWindow {
  Matrix w;               ///< a × d_q
  std::vector<double> v;  ///< a
  double radius = 10;     ///< D > 0

  double centre(std::span<const double> q, std::size_t keys) const;
  bool contains(double centre, std::size_t j) const;
  double gaussian(double centre, std::size_t j) const;
  /// ∂ ln(gaussian)/∂p = (position − p)/σ_D².
  double log_slope(double centre, std::size_t j) const;
  /// Adds ∂L/∂q and, into `gradient` (same shapes), ∂L/∂W and ∂L/∂v, for d_centre = ∂L/∂p.
  void centre_backward(std::span<const double> q, std::size_t keys, double d_centre, std::span<double> d_q,
                       PredictedWindow& gradient) const;
  PredictedWindow zero_like() const { return {Matrix(w.rows, w.cols), std::vector<double>(v.size()), radius}; }
};

}  // namespace quench::attention
