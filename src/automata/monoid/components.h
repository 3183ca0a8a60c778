// Strongly connected components of a graph whose nodes all have the same number of edges. Tarjan's algorithm without
// recursion: graphs here have a hundred thousand nodes in a row.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace quench::automata {

struct Components {
  std::vector<std::uint32_t> of;  ///< by node; a component has a smaller number than those that lead to it
  std::size_t count = 0;
};

/// edge(node, k) for k < degree is a node, or kNowhere.
inline constexpr std::uint32_t kNowhere = UINT32_MAX;
Components strong_components(std::size_t nodes, std::size_t degree,
                             const std::function<std::uint32_t(std::uint32_t, std::size_t)>& edge);

}  // namespace quench::automata
