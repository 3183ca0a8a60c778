// Positions at which a tie-break is likeliest to go wrong: two neighbouring keys that carry different values and whose
// computed scores are equal, or as close as any in the word.
#pragma once

#include <cstddef>
#include <vector>

#include "base/number/number_format.h"
#include "run/reference/plan.h"

namespace quench::verify {

/// `planes` is what the layer starts from: by coordinate, n numbers each. Appends the positions whose row attends to
/// such keys, a few of those with the closest scores. Scores are those of the row that sees all keys.
void add_near_ties(const run::HeadPlan& head, NumberFormat format, const std::vector<std::vector<double>>& planes,
                   std::vector<std::size_t>& positions);

}  // namespace quench::verify
