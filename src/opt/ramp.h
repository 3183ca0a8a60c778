// Rounding while computing: where a hidden unit may cut between "all literals true" and "some literal false" when the
// literals are only approximately 0 or 1. [P-L9], and its fusion with conjunction.
#pragma once

#include <optional>

#include "ir/graph.h"
#include "opt/cover.h"

namespace quench::opt {

/// The function (ReLU(s − from) − ReLU(s − to)) / (to − from) of s = Σ weight·literal: exactly 0 for s ≤ from, exactly 1
/// for s ≥ to. `from` and `to` are multiples of (to − from)/2, itself a power of two, so that in floating point the
/// subtractions and the quotient are exact wherever s is.
struct Ramp {
  double from = 0.25, to = 0.75;
  double exact_weight = 1;  ///< of literals that are exactly 0 or 1; approximate ones weigh 1
};

/// How far an approximate literal can be from what it stands for.
struct Approximation {
  double low, no, yes, high;  ///< within [low, no] when false, [yes, high] when true
  Approximation negated() const { return {1 - high, 1 - yes, 1 - no, 1 - low}; }
};

/// A ramp for the conjunction of `exact` exact literals and the approximate ones; none if their errors could add up to
/// confuse true with false. `reach` is what the approximate ones add up to at most as far as their weights tell, if that
/// is more than their approximations say: then exact literals weigh enough to decide against that, too, so that a reader
/// of the weights sees that the ramp is off.
std::optional<Ramp> find_ramp(std::size_t exact, const std::vector<Approximation>& approximate,
                              double reach = 0);

}  // namespace quench::opt
