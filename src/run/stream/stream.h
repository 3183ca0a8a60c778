// Decoding: one token in, its position's output at once. For models whose values do not depend on what comes later:
// every head under a future mask, every position encoding and temperature a function of i alone.
//
// Heads keep (max, Σ, Σ·v) for each class of keys; heads whose sharpness grows with i keep the keys that still compete:
// constant state, whatever the length. A lookup by bits of the position has a class for every block of positions, and
// keeps the one that is still asked for (stream_heads.h); a lookup by a computed number keeps a class for every key.
// The outputs are those of the whole-word run to rounding.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/word.h"
#include "model/transformer.h"
#include "run/reference/reference.h"

namespace quench::run {

class StreamExecutor {
 public:
  /// Throws UserError, naming the head or position encoding, for models that cannot be streamed; f64 and f32, soft.
  StreamExecutor(const model::Transformer& transformer, const Options& options);
  ~StreamExecutor();

  /// The output coordinate at the next position. Throws UserError on symbols outside the alphabet.
  double push(Symbol symbol);
  /// Back to the empty word.
  void reset();
  /// "layer.head name: constant state | keeps every key", one line per head; of the word so far.
  std::string describe() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace quench::run
