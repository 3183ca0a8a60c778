// How often a model says what a rule says, on given words.
#pragma once

#include <cstdint>
#include <vector>

#include "lab/languages.h"
#include "model/transformer.h"
#include "run/executor.h"

namespace quench::lab {

struct Agreement {
  std::size_t words = 0, accepted_right = 0;  ///< the last position
  std::size_t wholly_right = 0;               ///< every position
  std::size_t positions = 0, positions_right = 0;
  double acceptance() const { return static_cast<double>(accepted_right) / static_cast<double>(words); }
  double whole() const { return static_cast<double>(wholly_right) / static_cast<double>(words); }
  double by_position() const { return static_cast<double>(positions_right) / static_cast<double>(positions); }
};

/// Words are over the rule's alphabet, which is the model's.
Agreement agreement(const model::Transformer& model, const std::vector<LabelledWord>& words,
                    const run::Options& options = {}, run::Engine engine = run::Engine::automatic);

}  // namespace quench::lab
