// Which models the structured engine runs with every sum over positions in double, or as exact as that.
#pragma once

#include "model/transformer.h"

namespace quench::run {

/// Whether all heads in float32 sum as `exact-count` certificates (docs/certificates.md) want them to. Those whose one
/// component has a sharpness that changes from query to query may be run in float lanes (run/lane_candidates.h).
bool sums_are_wide(const model::Transformer& transformer);

}  // namespace quench::run
