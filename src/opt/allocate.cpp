// Linear scan over births. The residual stream only adds, so a coordinate must be exactly 0 before it is written again:
// the feed-forward sublayer adds −ReLU(x) + ReLU(−x), which is −x exactly. Clearing and writing in the same sublayer
// would add −x + y to x, which rounds; so a coordinate cleared in layer l is free from the attention of layer l+1 on.
#include "opt/allocate.h"

#include <algorithm>
#include <queue>
#include <set>

#include "opt/reads.h"

namespace quench::opt {
namespace {

using namespace ir;

/// Per node, the last sublayer that reads its coordinate.
std::vector<int> last_reads(const Schedule& schedule, const std::vector<Read>& reads) {
  std::vector<int> last = schedule.ready;
  for (const Read& read : reads)
    for (const Affine::Term& term : read.of.terms)
      last[term.node.index] = std::max(last[term.node.index], read.sublayer);
  return last;
}

}  // namespace

Layout allocate(const Graph& graph, const Schedule& schedule, bool unshared) {
  const std::vector<Read> all_reads = reads(graph, schedule);
  const std::vector<int> last = last_reads(schedule, all_reads);
  Layout layout;
  layout.coordinate.assign(graph.size(), -1);
  layout.clearings.resize(schedule.layers.size());
  layout.carries.resize(graph.size());
  if (graph.shares_units && !unshared) layout.carries = carries(graph, schedule, all_reads);
  std::vector<int> goes_on(graph.size(), -1);  // since which sublayer in another value
  for (std::size_t k = 0; k < graph.size(); ++k)
    if (layout.carries[k]) goes_on[layout.carries[k]->from.index] = schedule.ready[k];
  for (std::size_t k = 0; k < graph.size(); ++k)
    if (schedule.ready[k] >= 0)
      layout.placements.push_back({NodeId(k), 0, schedule.ready[k], goes_on[k] >= 0 ? goes_on[k] - 1 : last[k]});
  std::stable_sort(layout.placements.begin(), layout.placements.end(),
                   [](const Placement& a, const Placement& b) { return a.born < b.born; });

  struct Ending {
    int clearing_layer;
    int coordinate;
    Affine content;
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
    const std::optional<Carry>& carry = layout.carries[placement.node.index];
    if (carry) {
      placement.coordinate = layout.coordinate[carry->from.index];
    } else if (free.empty()) {
      placement.coordinate = layout.width++;
    } else {
      placement.coordinate = *free.begin();
      free.erase(free.begin());
      const Ending& before = content[static_cast<std::size_t>(placement.coordinate)];
      layout.clearings[static_cast<std::size_t>(before.clearing_layer) - 1].push_back(
          {placement.coordinate, before.content});
    }
    layout.coordinate[placement.node.index] = placement.coordinate;
    content.resize(static_cast<std::size_t>(layout.width));
    if (unshared || placement.last_read == kAtTheEnd || goes_on[placement.node.index] >= 0) continue;
    // Last read by sublayer 2l−1 or 2l: the feed-forward of layer l can clear it (the embedding's unread values: layer 1).
    const Ending ending{std::max(1, (placement.last_read + 1) / 2), placement.coordinate, layout.content(placement.node)};
    endings.push(ending);
    content[static_cast<std::size_t>(placement.coordinate)] = ending;
  }
  return layout;
}

}  // namespace quench::opt
