// Which affine forms each sublayer reads off the residual stream.
#pragma once

#include <limits>
#include <vector>

#include "ir/graph.h"
#include "opt/schedule.h"

namespace quench::opt {

struct Read {
  ir::Affine of;  ///< in stored form
  int sublayer;
};

constexpr int kAtTheEnd = std::numeric_limits<int>::max();  ///< the sublayer of outputs

std::vector<Read> reads(const ir::Graph& graph, const Schedule& schedule);

}  // namespace quench::opt
