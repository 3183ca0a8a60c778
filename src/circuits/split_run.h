// A decoder run with every edge of its circuit to be had by itself: what a reader gets from a writer may be replaced,
// while all others get what the writer writes in this run. Plain loops in double precision, after the definition in
// model/transformer.h; the engines know no edges.
#pragma once

#include <cstdint>
#include <vector>

#include "base/number/matrix.h"
#include "base/word.h"
#include "circuits/graph.h"
#include "model/transformer.h"

namespace quench::circuits {

/// What every writer adds to the residual stream, n × d, in the order of Graph::writers.
using Writes = std::vector<Matrix>;

/// The edge gets this instead of what its writer writes.
struct Replacement {
  std::size_t writer = 0, reader = 0;
  const Matrix* by = nullptr;  ///< n × d
};

struct SplitResult {
  Writes writes;
  std::int64_t answer = 0;  ///< at the last position, as run::answers reads it
};

class SplitRun {
 public:
  /// The model must outlive it. Throws UserError unless it is a stock decoder.
  explicit SplitRun(const model::Transformer& model);

  const Graph& graph() const { return graph_; }
  SplitResult run(const Word& word, const std::vector<Replacement>& replaced = {}) const;

 private:
  const model::Transformer& model_;
  Graph graph_;
};

}  // namespace quench::circuits
