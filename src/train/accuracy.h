// How often a model says what the rule says.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "model/transformer.h"
#include "run/reference/reference.h"
#include "train/word_source.h"

namespace quench::train {

struct Accuracy {
  std::uint64_t words = 0, words_right = 0;          ///< by the last position: accepted or not
  std::uint64_t positions = 0, positions_right = 0;  ///< by every position
  Accuracy& operator+=(const Accuracy& other);
  double of_words() const { return static_cast<double>(words_right) / static_cast<double>(words); }
  double of_positions() const { return static_cast<double>(positions_right) / static_cast<double>(positions); }
};

/// The model's alphabet must be the rule's. Words in parallel; the result is a sum of counts. `after_word` is called
/// from any thread; what it throws ends the work.
Accuracy measure_accuracy(
    const model::Transformer& model, const std::vector<Lesson>& lessons, const run::Options& options = {},
    const std::function<void()>& after_word = [] {});

}  // namespace quench::train
