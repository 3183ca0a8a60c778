// Linear scan over births. The residual stream only adds, so a coordinate must be exactly 0 before it is written again:
// the feed-forward sublayer adds −ReLU(x) + ReLU(−x), which is −x exactly. Clearing and writing in the same sublayer
// would add −x + y to x, which rounds; so a coordinate cleared in layer l is free from the attention of layer l+1 on.
#include "opt/allocate.h"

#include <algorithm>
#include <queue>
#include <set>

namespace quench::opt {
namespace {

using namespace ir;

/// Per node, the last sublayer that reads its coordinate.
std::vector<int> last_reads(const Graph& graph, const Schedule& schedule) {
  std::vector<int> last = schedule.ready;
  const auto read = [&](const Affine& affine, int sublayer) {
    for (const Affine::Term& term : stored_form(graph, affine).terms)
      last[term.node.index] = std::max(last[term.node.index], sublayer);
  };
  for (std::size_t l = 1; l <= schedule.layers.size(); ++l) {
    const ScheduledLayer& layer = schedule.layers[l - 1];
    const int feed_forward = static_cast<int>(2 * l), attention = feed_forward - 1;
    for (const ScheduledHead& head : layer.heads) {
      for (const Head::Product& product : graph[head.head].score) {
        read(product.query, attention);
        read(product.key, attention);
      }
      for (const ScheduledHead::Value& value : head.values) read(value.of(graph).value, attention);
    }
    const auto read_arguments = [&](const Piecewise& piecewise) {
      for (const Piecewise::Unit& unit : piecewise.units) read(unit.x, feed_forward);
      read(piecewise.rest, feed_forward);
    };
    for (const ScheduledFunction& function : layer.functions)
      if (const auto* piecewise = std::get_if<Piecewise>(&graph[function.node])) read_arguments(*piecewise);
    for (const ScheduledFunction& function : layer.functions)
      for (const Cube& cube : function.cubes)
        for (const Literal literal : cube) {
          if (!read_raw(graph, schedule, literal.node, static_cast<int>(l)))
            read(Affine(literal.node), feed_forward);
          else if (const auto* threshold = std::get_if<Threshold>(&graph[literal.node]))
            read(threshold->x, feed_forward);
          else if (const auto* piecewise = std::get_if<Piecewise>(&graph[literal.node]))
            read_arguments(*piecewise);
          else
            read(std::get<IsZero>(graph[literal.node]).x, feed_forward);
        }
  }
  for_each_output(graph, [&](Literal output) { last[output.node.index] = std::numeric_limits<int>::max(); });
  return last;
}

}  // namespace

Layout allocate(const Graph& graph, const Schedule& schedule, bool unshared) {
  const std::vector<int> last = last_reads(graph, schedule);
  Layout layout;
  layout.coordinate.assign(graph.size(), -1);
  layout.clearings.resize(schedule.layers.size());
  for (std::size_t k = 0; k < graph.size(); ++k)
    if (schedule.ready[k] >= 0) layout.placements.push_back({NodeId(k), 0, schedule.ready[k], last[k]});
  std::stable_sort(layout.placements.begin(), layout.placements.end(),
                   [](const Placement& a, const Placement& b) { return a.born < b.born; });

  struct Ending {
    int clearing_layer;
    int coordinate;
    NodeId node;
    bool operator>(const Ending& other) const { return clearing_layer > other.clearing_layer; }
  };
  std::priority_queue<Ending, std::vector<Ending>, std::greater<>> endings;
  std::set<int> free;           // to be cleared if someone comes
  std::vector<Ending> content;  // per coordinate: its last tenant
  for (Placement& placement : layout.placements) {
    while (!endings.empty() && 2 * endings.top().clearing_layer < placement.born) {
      free.insert(endings.top().coordinate);
      endings.pop();
    }
    if (free.empty()) {
      placement.coordinate = layout.width++;
    } else {
      placement.coordinate = *free.begin();
      free.erase(free.begin());
      const Ending& before = content[static_cast<std::size_t>(placement.coordinate)];
      layout.clearings[static_cast<std::size_t>(before.clearing_layer) - 1].push_back({placement.coordinate, before.node});
    }
    layout.coordinate[placement.node.index] = placement.coordinate;
    content.resize(static_cast<std::size_t>(layout.width));
    if (unshared || placement.last_read == std::numeric_limits<int>::max()) continue;
    // Last read by sublayer 2l−1 or 2l: the feed-forward of layer l can clear it (the embedding's unread values: layer 1).
    const Ending ending{std::max(1, (placement.last_read + 1) / 2), placement.coordinate, placement.node};
    endings.push(ending);
    content[static_cast<std::size_t>(placement.coordinate)] = ending;
  }
  return layout;
}

}  // namespace quench::opt
