// Let E be the number of exact literals with weight K, and x_1 … x_m the approximate ones.
//   all true:           s ≥ K·E + Σ yes_k                                   =: T
//   x_k false:          s ≤ K·E + no_k + Σ_{l≠k} high_l
//   an exact one false: s ≤ K·(E−1) + Σ high_l
// K is doubled until the third bound, with `reach` for Σ high_l, is not the largest; F is the larger of the other two. If F < T there is room, and the
// ramp is the widest power of two that fits between them.
#include "opt/ramp.h"

#include <algorithm>
#include <cmath>

namespace quench::opt {

std::optional<Ramp> find_ramp(std::size_t exact, const std::vector<Approximation>& approximate, double reach) {
  constexpr double kNarrowest = 1.0 / 16;
  double all_high = 0, all_yes = 0, worst_false = -std::numeric_limits<double>::infinity();
  for (const Approximation& x : approximate) {
    all_high += x.high;
    all_yes += x.yes;
  }
  // A single literal needs no bound on how far beyond true it may lie.
  if (approximate.size() == 1 && exact == 0) all_high = approximate[0].yes;
  if (!std::isfinite(all_high)) return std::nullopt;
  for (const Approximation& x : approximate)
    worst_false = std::max(worst_false, approximate.size() == 1 ? x.no : all_high - x.high + x.no);
  Ramp ramp;
  while (exact > 0 && std::max(all_high, reach) - ramp.exact_weight > worst_false) ramp.exact_weight *= 2;
  const double offset = ramp.exact_weight * static_cast<double>(exact);
  const double no = offset + worst_false, yes = offset + all_yes;
  for (double width = 0.5; width >= kNarrowest; width /= 2) {
    // Of the places on the grid, the one nearest the middle of the gap.
    const double step = width / 2;
    ramp.from = std::round(((no + yes) / 2 - width / 2) / step) * step;
    ramp.to = ramp.from + width;
    if (no <= ramp.from && ramp.to <= yes) return ramp;
  }
  return std::nullopt;
}

}  // namespace quench::opt
