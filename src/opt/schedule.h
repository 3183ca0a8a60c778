// When everything is computed: nodes of the IR to attention and feed-forward sublayers, as early as possible.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "opt/cover.h"
#include "opt/ramp.h"

namespace quench::opt {

/// One head of a layer and the values it carries: parts of Attend nodes with this head in this layer.
struct ScheduledHead {
  struct Value {
    ir::NodeId attend;
    std::size_t part = 0;
    const ir::Attend::Part& of(const ir::Graph& graph) const { return std::get<ir::Attend>(graph[attend]).parts[part]; }
  };
  ir::HeadId head;
  std::vector<Value> values;
};

/// A Boolean computed by the feed-forward sublayer: Σ cubes, or 1 − Σ cubes. For Threshold and IsZero nodes the one
/// cube is the node itself, read raw; a Piecewise node has no cubes, it is computed as it stands. A cube may have one
/// comparison that is made in this sublayer.
struct ScheduledFunction {
  ir::NodeId node;
  std::vector<Cube> cubes;
  bool complemented = false;
};

struct ScheduledLayer {
  std::vector<ScheduledHead> heads;
  std::vector<ScheduledFunction> functions;
};

/// Sublayer 0 is the embedding; 2l−1 and 2l are the attention and the feed-forward of layer l = 1, 2, …
struct Schedule {
  std::vector<ScheduledLayer> layers;
  std::vector<int> ready;  ///< per node: the sublayer after which its coordinate holds it; −1: it has no coordinate
};

Schedule schedule(const ir::Graph& graph);

/// Exact thresholds are never stored: reading one is reading its affine form. This resolves them.
ir::Affine stored_form(const ir::Graph& graph, const ir::Affine& affine);

/// In the feed-forward of layer `layer`, a threshold that is not stored yet is read as its approximate value, and a
/// comparison is made on the way.
bool read_raw(const ir::Graph& graph, const Schedule& schedule, ir::NodeId leaf, int layer);
Approximation approximation(const ir::Graph& graph, ir::Literal raw);

}  // namespace quench::opt
