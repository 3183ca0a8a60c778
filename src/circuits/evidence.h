// What the word pairs show of a circuit: an edge can be in the weights and in the rule, and yet no pair needs it.
#pragma once

#include <cstddef>
#include <vector>

#include "circuits/pairs.h"
#include "circuits/split_run.h"

namespace quench::circuits {

/// What travels along an edge counts as different from here on. Softmax leaves traces of about e^−16 of what it does
/// not attend to; what the rules tell apart differs by at least 1/n.
inline constexpr double kDifference = 1.0 / 1024;

struct EdgeEvidence {
  std::size_t differs =
      0;  ///< pairs in which the edge carries something else in the corrupted run than in the clean one
  std::size_t changes = 0;  ///< pairs whose answer changes if this edge alone carries what it has in the corrupted run
};

/// By candidate, in the order of Graph::edges.
std::vector<EdgeEvidence> evidence_of(const SplitRun& network, const std::vector<WordPair>& pairs);

}  // namespace quench::circuits
