// IR → smaller IR with the same meaning.
#pragma once

#include "ir/graph.h"

namespace quench::opt {

/// Folds constants, merges tests of the symbol, flattens nested conjunctions, drops what the output does not need.
ir::Graph simplify(const ir::Graph& graph);

}  // namespace quench::opt
