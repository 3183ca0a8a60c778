// Components that are penalties ([Q-penalty], docs/theory-exact.md): a query asks a key for its greater value, or for
// nothing. They come in pairs, of which one key, the sink, has both of the greater values and every other key one; a
// query asks for one of the two. Internal to nearest_code.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "run/structured/methods/codes/columns.h"

namespace quench::run {

struct PenaltyPairs {
  std::size_t sink;
  std::vector<std::size_t> either;  ///< one component of each pair
  std::vector<std::size_t> alone;   ///< of which the sink alone has the greater value, all others the same
};

/// Nothing, unless all of these components, whose queries vary, are penalties with the same sink and the same cost.
std::optional<PenaltyPairs> penalty_pairs(Columns& columns, const std::vector<std::size_t>& components, std::size_t n);

}  // namespace quench::run
