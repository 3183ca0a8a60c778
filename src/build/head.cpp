// Scores Σ_l query_l(i)·key_l(j): one row of W_Q and W_K per product. The executor divides by √d_k, so W_Q carries √d_k;
// d_k is padded with zero rows to a power of four, which makes √d_k a power of two and the scaling exact.
#include "build/head.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace quench::build {

model::Head build_head(const Place& place, const opt::ScheduledHead& scheduled) {
  const ir::Head& head = place.graph[scheduled.head];
  const std::size_t width = static_cast<std::size_t>(place.layout.width);
  std::size_t key_width = 1;  // d_k
  while (key_width < head.score.size()) key_width *= 4;

  model::Head result;
  result.name = place.graph.name(scheduled.head);
  result.mask = head.mask;
  result.temperature = head.temperature;
  result.intended = head.intended;
  result.claim = {head.structure, head.lemma, head.gamma};
  result.q = result.k = SparseMatrix(key_width, width);
  for (std::size_t l = 0; l < head.score.size(); ++l) {
    place.add(result.q, l, head.score[l].query, std::sqrt(static_cast<double>(key_width)));
    place.add(result.k, l, head.score[l].key);
  }
  result.v = SparseMatrix(scheduled.values.size(), width);
  result.o = SparseMatrix(width, scheduled.values.size());
  std::vector<std::pair<std::size_t, std::size_t>> targets;  // W_O, whose rows are cheap to fill in order only
  for (std::size_t l = 0; l < scheduled.values.size(); ++l) {
    place.add(result.v, l, scheduled.values[l].of(place.graph).value);
    targets.emplace_back(place.coordinate(scheduled.values[l].attend), l);
  }
  std::sort(targets.begin(), targets.end());
  for (const auto& [coordinate, l] : targets)
    result.o.add(coordinate, l, scheduled.values[l].of(place.graph).factor);
  return result;
}

}  // namespace quench::build
