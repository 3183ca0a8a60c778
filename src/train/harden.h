// Hardening: soft attention replaced by hard attention in a network that was trained (or compiled) with softmax. What
// changes is the question; a head that averages has nothing to harden to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/transformer.h"
#include "run/reference/reference.h"
#include "train/word_source.h"

namespace quench::train {

struct HardenedHead {
  run::HeadIndex index;
  std::string name;
  Weighting weighting = Weighting::ahardmax;
  double distance = 0;  ///< mean ‖soft − hard‖₁ of a row, between 0 and 2
  double tied = 0;      ///< share of rows with several maximisers
};

struct Hardening {
  model::Transformer model;  ///< weighting and intended weighting of the heads are those of `heads`
  std::vector<HardenedHead> heads;
};

/// Rows are looked at in the soft model's runs on `words` (over the model's alphabet, not empty). Without `to`, a head
/// of a construction gets the weighting it was made for (a few are made to stay soft); any other gets rhardmax if its
/// maximum was unique in every row, else ahardmax, which of the three is never farther from softmax in the 1-norm: with
/// m maximisers of weight a the distances are 2(1 − a) and 2(1 − m·a).
Hardening harden(const model::Transformer& model, const std::vector<Word>& words, std::optional<Weighting> to = {});

/// The words labelled by what a model says: accuracy against these is agreement with it.
std::vector<Lesson> label_by(const model::Transformer& model, const std::vector<Word>& words);

}  // namespace quench::train
