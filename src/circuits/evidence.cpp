#include "circuits/evidence.h"

#include <algorithm>
#include <cmath>

namespace quench::circuits {
namespace {

bool differ(const Matrix& a, const Matrix& b, const std::vector<std::uint32_t>& coordinates) {
  for (std::size_t i = 0; i < a.rows; ++i)
    for (const std::uint32_t c : coordinates)
      if (std::abs(a(i, c) - b(i, c)) > kDifference) return true;
  return false;
}

}  // namespace

std::vector<EdgeEvidence> evidence_of(const SplitRun& network, const std::vector<WordPair>& pairs) {
  const Graph& graph = network.graph();
  std::vector<EdgeEvidence> found(graph.edges.size());
  for (const WordPair& pair : pairs) {
    const SplitResult clean = network.run(pair.clean), corrupted = network.run(pair.corrupted);
    for (std::size_t e = 0; e < graph.edges.size(); ++e) {
      const Edge& edge = graph.edges[e];
      const Matrix& replacement = corrupted.writes[edge.writer];
      // By all that the reader's weights touch, not only what the circuit says they should.
      if (!differ(clean.writes[edge.writer], replacement, graph.readers[edge.reader].coordinates)) continue;
      ++found[e].differs;
      found[e].changes += network.run(pair.clean, {{edge.writer, edge.reader, &replacement}}).answer != clean.answer;
    }
  }
  return found;
}

}  // namespace quench::circuits
