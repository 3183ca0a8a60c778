// Which residual coordinate holds what, and when: values go on as others where they stand (carry.h), and coordinates of
// dead ones are cleared and reused, unless that is not wanted.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "opt/carry.h"
#include "opt/schedule.h"

namespace quench::opt {

/// A value's stay in a coordinate, from after sublayer `born` until it is last read, by sublayer `last_read`, or goes on
/// as another.
struct Placement {
  ir::NodeId node;
  int coordinate = 0;
  int born = 0, last_read = 0;
};

/// A coordinate that a feed-forward subtracts from itself, because a later value needs it empty.
struct Clearing {
  int coordinate = 0;
  ir::Affine content;
};

/// Coordinate 0 is the constant 1.
struct Layout {
  int width = 1;
  std::vector<int> coordinate;        ///< per node; −1: not stored
  std::vector<Placement> placements;  ///< in order of birth
  std::vector<std::vector<Clearing>> clearings;  ///< per layer
  std::vector<std::optional<Carry>> carries;      ///< per node: what it goes on from

  /// What a node's coordinate holds: the node, or a sum that it completes.
  ir::Affine content(ir::NodeId node) const {
    const std::optional<Carry>& carry = carries[node.index];
    return carry ? carry->content : ir::Affine(node);
  }
};

/// With `unshared` every value has a coordinate of its own, for ever. Values go on as others where sums have many heads
/// (ir::Graph::shares_units).
Layout allocate(const ir::Graph& graph, const Schedule& schedule, bool unshared = false);

}  // namespace quench::opt
