// How sharp the heads of an S-RASP network must be for its softmax to compute what hard attention computes. [Q-srasp]
#pragma once

#include "ir/graph.h"

namespace quench::lower {

/// A factor c of all sharp scores with which every word of every length is right, given that the hard heads' gap is at
/// least 1/(2n³) and the temperature 1/(n³ ln(n+1)). `graph` has been lowered with c = 1.
double sufficient_sharpness(const ir::Graph& graph);

}  // namespace quench::lower
