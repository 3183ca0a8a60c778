// The reference executor: the definition of what a model computes, in plain loops, for every number format.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "base/matrix.h"
#include "base/number_format.h"
#include "base/word.h"
#include "model/transformer.h"

namespace quench::run {

struct Options {
  NumberFormat format = NumberFormat::f64;
  bool hard = false;  ///< every head uses its intended weighting instead of softmax
};

/// Which head: 0-based layer and index within the layer.
struct HeadIndex {
  std::size_t layer = 0, head = 0;
};

/// What an observer may look at, or change, while a word runs through the network.
struct Observer {
  /// After the embedding (sublayer 0), the attention (2l−1) and the feed-forward (2l) of layer l: the n × d residual
  /// stream. It may be changed in place (activation patching).
  std::function<void(int sublayer, Matrix& residual)> residual;
  /// The weights α_i* of one row: weights[j−first] for j in the visible range (1-based positions i, first).
  std::function<void(HeadIndex head, std::size_t i, std::size_t first, const std::vector<double>& weights)> row;
  /// True: this head contributes nothing (ablation).
  std::function<bool(HeadIndex head)> ablated;
};

/// The residual stream after the last layer, n × d.
Matrix run(const model::Transformer& transformer, const Word& word, const Options& options = {},
           const Observer& observer = {});

/// The output coordinate at every position.
std::vector<double> outputs(const model::Transformer& transformer, const Word& word, const Options& options = {},
                            const Observer& observer = {});

/// Outputs as Booleans. An output is read as 1 iff it is at least ½; NaN reads as 0.
std::vector<std::uint8_t> booleans(const std::vector<double>& outputs);

}  // namespace quench::run
