// Values that go on as others, in the coordinate that they have.
//
//   p + A      What heads return can be added to p where it stands, if after that p is read with A and A with p only:
//              the coordinate then holds the sum. So counts grow level by level in one coordinate ([Q-blocks]).
//   f(z)       A piecewise linear function of z, one of whose units is ReLU(z) = z ≥ 0, can be made of z where it stands,
//              if z is not read afterwards: the feed-forward adds what the other units make, and that one is not needed.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "opt/reads.h"

namespace quench::opt {

struct Carry {
  ir::NodeId from;          ///< whose coordinate it is
  ir::Affine content;       ///< what the coordinate holds with it: p + A, f
  std::size_t passing = 0;  ///< of a Piecewise: the unit that is not needed
};

/// Per node.
std::vector<std::optional<Carry>> carries(const ir::Graph& graph, const Schedule& schedule,
                                          const std::vector<Read>& reads);

}  // namespace quench::opt
