// [Q-limbs]: how a sum of large whole numbers is split so that everything stays below 2^p.
#pragma once

#include <optional>
#include <vector>

namespace quench::bounds {

/// Numbers are Σ_c c·(a Boolean), and |c| = Σ_k 2^{rk}·digit_k(c). Limb k of the sum is S_k = Σ_j Σ_c ±digit_k(c)·(its
/// Boolean).
struct LimbPlan {
  int width = 0;      ///< r; with one limb it does not matter
  std::size_t count;  ///< of limbs
  bool from_the_top;  ///< one limb after the other, as signs need it
  /// All at once: limb k is cut off at above[k] and counts weight[k] = min(2^{rk}, N + 2) times.
  /// From the top: T_k = S_k + 2^r·T_{k+1} is kept within −below[k] … above[k].
  std::vector<double> above, below, weight;

  double digit(double coefficient, std::size_t limb) const;  ///< with its sign
};

/// For sums over words of at most `length` symbols that are clipped to 0 … n+1: as few limbs as are exact in any order.
/// One, if the sum itself is.
std::optional<LimbPlan> limb_plan(const std::vector<double>& coefficients, double length, int p);

}  // namespace quench::bounds
