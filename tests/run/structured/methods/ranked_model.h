// A head whose keys are of two ranks: by one symbol, and by their position.
#pragma once

#include "support/example_model.h"

namespace quench::test {

/// previous_model() with scores 2γn(w·[symbol = a] + r·i/n), whatever the parity.
inline model::Transformer ranked_model(double gamma, double word, double position) {
  model::Transformer model = previous_model(gamma);
  model::Head& head = model.layers[0].heads[0];
  head.q = head.k = SparseMatrix(4, model.width);
  head.q.add(1, 0, 4 * gamma);
  if (word != 0) head.k.add(1, 3, word);
  if (position != 0) head.k.add(1, 1, position);
  return model;
}

}  // namespace quench::test
