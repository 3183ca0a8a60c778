// The reference executor: the definition of what a model computes, in plain loops, for every number format.
//
// Notation: s(·) rounds to the storage format, c(·) to the compute format (base/number/number_format.h), both to
// nearest, ties to even. Every elementary operation on computed values is followed by c(·). Σ is formed from left to
// right, starting with the first term (an empty sum is 0); Σ W·h runs over the nonzero entries of a row of W in
// increasing order of columns, and weights that s(·) takes to 0 are zeros. Weights are s(weights); PE values are
// s(exact value).
//
//   embedding   h = s(c(WE + PE))                           PEs in the order of the model, each added with s(c(·))
//   projections q, k, v = s(Σ W·h)                          no bias
//   scores      c(c(Σ_l q_l k_l · c(1/√d_k)) · c(1/τ(i,n)))  over the components l where both W_Q and W_K have entries
//   softmax     e_j = c(exp(c(score_j − max)))              exp is the double function; max over the visible keys
//   hard        e_j = 1 for the maximiser(s), others left out; equal computed scores tie; NaN counts as −∞
//   head        o = s(c(Σ_j e_j v_j / Σ_j e_j))             normalised last; a row without keys gives 0
//   attention   h = s(c(h + Σ_heads (Σ W_O·o)))
//   hidden      a = s(ReLU(c(Σ W_1·h + b_1)))               bias last: the rounding sublayer stays exact [P-L9]
//   feed-forward h = s(c(h + c(Σ W_2·a + b_2)))
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "base/number/matrix.h"
#include "base/number/number_format.h"
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
  friend bool operator==(const HeadIndex&, const HeadIndex&) = default;
};

/// What an observer may look at, or change, while a word runs through the network.
struct Observer {
  /// After the embedding (sublayer 0), the attention (2l−1) and the feed-forward (2l) of layer l: the n × d residual
  /// stream. It may be changed in place (activation patching); what is put there is used as it is, without rounding.
  std::function<void(int sublayer, Matrix& residual)> residual;
  /// The weights α_i* of one row: weights[j−first] for j in the visible range (1-based positions i, first).
  std::function<void(HeadIndex head, std::size_t i, std::size_t first, const std::vector<double>& weights)> row;
  /// True: this head contributes nothing (ablation).
  std::function<bool(HeadIndex head)> ablated;
};

struct ReferencePlan;

/// A model prepared for many words: weights rounded and flattened once. Const use from several threads is safe, each
/// with its own Workspace. Independent of the Transformer it was made from.
class ReferenceExecutor {
 public:
  /// Buffers of a run, kept from word to word; any workspace works with any executor. Contents are the executor's.
  struct Workspace {
    Matrix residual;                    ///< n × d
    std::vector<double> queries;        ///< n × components
    std::vector<double> keys;           ///< components × n: scores of a row are formed for all keys at once
    std::vector<double> values;         ///< n × d_v
    std::vector<double> weights;        ///< scores, then e_j, of one row
    std::vector<double> mixed;          ///< n × Σ_heads d_v: what the heads hand to W_O
    std::vector<double> hidden;         ///< m
    std::vector<std::uint8_t> ablated;  ///< heads of the current layer
    std::uint64_t owner = 0;            ///< which plan the position tables belong to
    std::vector<std::vector<double>> position_values;  ///< by length, n × PEs; the last one for all long words
    std::size_t long_length = 0;                       ///< whose values the last table holds
  };

  explicit ReferenceExecutor(const model::Transformer& transformer, const Options& options = {});

  /// The residual stream after the last layer, n × d; lives in the workspace until its next use. Throws UserError on an
  /// empty word, on symbols outside the alphabet, and where a predicate has no value.
  const Matrix& run(const Word& word, Workspace& workspace, const Observer& observer = {}) const;

  /// The output coordinate at every position.
  void outputs(const Word& word, Workspace& workspace, std::vector<double>& result) const;

 private:
  std::shared_ptr<const ReferencePlan> plan_;
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
