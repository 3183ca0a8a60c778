// A model in numbers: what `quench compile` prints and the public ModelSummary holds.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "model/transformer.h"

namespace quench::model {

struct Summary {
  std::size_t layers = 0, heads = 0, width = 0, hidden_units = 0;
  std::size_t parameters = 0, nonzero_parameters = 0;
  std::vector<std::string> temperatures, masks;  ///< of the heads, layer by layer
  std::vector<std::string> position_encodings;
  bool uniform_tieless = true;  ///< Section 5: every head is uniform, or its scores have a unique maximum, as claimed
};

Summary summary(const Transformer& model);

}  // namespace quench::model
