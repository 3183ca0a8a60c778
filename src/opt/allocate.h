// Which residual coordinate holds what, and when: coordinates of dead values are cleared and reused, unless that is
// not wanted.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "opt/schedule.h"

namespace quench::opt {

/// A value's stay in a coordinate, from after sublayer `born` until it is last read, by sublayer `last_read`.
struct Placement {
  ir::NodeId node;
  int coordinate = 0;
  int born = 0, last_read = 0;
};

/// A coordinate that a feed-forward subtracts from itself, because a later value needs it empty.
struct Clearing {
  int coordinate = 0;
  ir::NodeId content;
};

/// Coordinate 0 is the constant 1.
struct Layout {
  int width = 1;
  std::vector<int> coordinate;        ///< per node; −1: not stored
  std::vector<Placement> placements;  ///< in order of birth
  std::vector<std::vector<Clearing>> clearings;  ///< per layer
};

/// With `unshared` every value has a coordinate of its own, for ever.
Layout allocate(const ir::Graph& graph, const Schedule& schedule, bool unshared = false);

}  // namespace quench::opt
