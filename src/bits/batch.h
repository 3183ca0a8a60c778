// The truth of a formula at every position of many words at once: 512 words side by side where there are enough words
// of about one length, and one word at a time (evaluator.h) for long ones and those left over.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "bits/evaluator.h"
#include "bits/slice.h"
#include "bits/slice_counts.h"
#include "lang/formula.h"

namespace quench::bits {

/// One plane per word, as the evaluator of one word gives it.
struct Planes {
  std::vector<Bits> bits;
  std::vector<std::size_t> first;  ///< of each word's plane in `bits`, and the end

  std::span<const Bits> operator[](std::size_t word) const {
    return std::span(bits).subspan(first[word], first[word + 1] - first[word]);
  }
};

class BatchEvaluator {
 public:
  /// The formula must outlive it.
  explicit BatchEvaluator(const lang::Formula& formula);

  /// Whether counts and coefficients fit 64-bit arithmetic at this length.
  bool covers(std::size_t n) const { return single_.covers(n); }

  /// Needs covers() of every length; no word is empty.
  void evaluate(std::span<const Text> words, Planes& planes);

  /// How many words the last call took side by side; the others went one at a time.
  std::size_t side_by_side() const { return side_by_side_; }

 private:
  /// A group of at most kGroup words, no two of different lengths if a predicate looks at the length.
  void evaluate_group(std::span<const Text> words);
  void comparison(const lang::Comparison& node, const Extent& extent, Slice* out) const;
  void position_predicate(lang::PredicateId id, const Extent& extent, Slice* out) const;
  const Diagram& diagram(lang::PredicateId id, std::size_t n);
  const Slice* slices(lang::FormulaId id) const { return buffers_[buffer_[id.index]].data(); }

  const lang::Formula& formula_;
  Evaluator single_;
  std::vector<bool> needed_;
  bool length_matters_ = false;
  bool one_at_a_time_ = false;  ///< some modulus is too large to do words side by side
  std::vector<Symbol> symbols_;
  std::vector<lang::FormulaId> symbol_nodes_;
  std::vector<std::size_t> buffer_;  ///< of each node: nodes whose readers are done hand theirs on
  std::vector<Slices> buffers_;
  std::map<std::pair<std::size_t, std::size_t>, Diagram> diagrams_;  ///< by predicate and length
  std::size_t side_by_side_ = 0;
};

}  // namespace quench::bits
