// How far the attended score is ahead of the others, measured: what the constructions prove about it can be checked.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/word.h"
#include "model/transformer.h"

namespace quench::verify {

/// Of one head that is meant to attend hard: the smallest distance of the greatest score from the next one, over all
/// words and queries seen with more than one visible key. Temperature is left out, and so is the head's own factor γ.
struct HeadGap {
  std::size_t layer = 0, head = 0;
  std::string name, lemma;
  bool measured = false;
  double gap = 0;          ///< the smallest
  double times_n3 = 0;     ///< the smallest gap·n³
  std::size_t length = 0;  ///< of the word where gap·n³ is smallest
  double rounding = 0;     ///< gap·n³ may be too small by this: what doubles leave open
};

class GapMeasurement {
 public:
  /// The model must outlive it. Heads that are uniform or stay soft are left out.
  explicit GapMeasurement(const model::Transformer& model);
  /// Runs the word with hard attention.
  void take(const Word& word);
  const std::vector<HeadGap>& heads() const { return heads_; }

 private:
  void measure(HeadGap& entry, const Matrix& residual) const;

  const model::Transformer& model_;
  std::vector<HeadGap> heads_;
};

}  // namespace quench::verify
