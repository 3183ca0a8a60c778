#include "automata/monoid/components.h"

#include <algorithm>

namespace quench::automata {

Components strong_components(std::size_t nodes, std::size_t degree,
                             const std::function<std::uint32_t(std::uint32_t, std::size_t)>& edge) {
  constexpr std::uint32_t kNew = UINT32_MAX;
  struct Visit {
    std::uint32_t node;
    std::size_t next_edge;
  };
  Components result{std::vector<std::uint32_t>(nodes, kNew), 0};
  std::vector<std::uint32_t> met(nodes, kNew), low(nodes), open;
  std::vector<Visit> path;
  std::uint32_t clock = 0;
  const auto enter = [&](std::uint32_t node) {
    met[node] = low[node] = clock++;
    open.push_back(node);
    path.push_back({node, 0});
  };
  const auto leave = [&](std::uint32_t node) {
    path.pop_back();
    if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], low[node]);
    if (low[node] != met[node]) return;
    for (std::uint32_t member = kNew; member != node; open.pop_back()) {
      member = open.back();
      result.of[member] = static_cast<std::uint32_t>(result.count);
    }
    ++result.count;
  };
  for (std::uint32_t start = 0; start < nodes; ++start) {
    if (met[start] != kNew) continue;
    enter(start);
    while (!path.empty()) {
      const std::uint32_t node = path.back().node;
      if (path.back().next_edge == degree) {
        leave(node);
        continue;
      }
      const std::uint32_t to = edge(node, path.back().next_edge++);
      if (to == kNowhere) continue;
      if (met[to] == kNew)
        enter(to);
      else if (result.of[to] == kNew)
        low[node] = std::min(low[node], met[to]);
    }
  }
  return result;
}

}  // namespace quench::automata
