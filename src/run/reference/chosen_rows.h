// Chosen positions of one long word, computed as the reference executor computes them: the same operations in the same
// order (run/reference/arithmetic.h), O(n) each instead of O(n²) for all. What the other positions hold is given, layer
// by layer: every layer of a compiled model starts from exact Booleans and position encodings, which an exact network
// supplies. So at n = 10⁶ one can see what a number format does to a row without running the other 10⁶ − 1.
//
// The chosen rows go through all layers by themselves. Only what they read of *other* positions, keys and values, is
// taken from the given activations, rounded to storage; a word whose other positions have gone wrong in an earlier
// layer is therefore judged as if they had not.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "base/number/matrix.h"
#include "base/word.h"
#include "model/transformer.h"
#include "run/reference/reference.h"

namespace quench::run {

class ReferenceRows {
 public:
  /// What every position holds, by coordinate: n numbers each.
  using Planes = std::vector<std::vector<double>>;

  struct Rows {
    std::vector<std::size_t> positions;  ///< from 1
    Matrix residual;                     ///< positions × d
  };

  ReferenceRows(const model::Transformer& transformer, const Options& options);

  Rows embed(const Word& word, std::vector<std::size_t> positions) const;
  /// Attention of layer l (from 0). `planes` is what it starts from; the rows' own activations replace theirs.
  void attention(std::size_t l, const Planes& planes, Rows& rows) const;
  void feed_forward(std::size_t l, Rows& rows) const;
  double output(const Rows& rows, std::size_t row) const;

 private:
  std::shared_ptr<const ReferencePlan> plan_;
};

}  // namespace quench::run
