// The direct semantics of a rule on 64 words of one length at once: bit w of a slice is the truth in word w. Written
// for speed where the oracle is written to be obvious; tests hold the two against each other on every operator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/word.h"
#include "lang/formula.h"

namespace quench::verify {

inline constexpr std::size_t kSlice = 64;

class SlicedOracle {
 public:
  /// The formula must outlive it.
  explicit SlicedOracle(const lang::Formula& formula);

  /// Whether counts and coefficients fit 64-bit arithmetic at this length.
  bool covers(std::size_t n) const;

  /// symbols: position i of word w at i·lanes + w, lanes ≤ 64, over the formula's alphabet. The result has one slice
  /// per position; bits from `lanes` on mean nothing. Lives until the next call.
  const std::vector<std::uint64_t>& evaluate(std::size_t n, std::size_t lanes, const Symbol* symbols,
                                             std::size_t stride);

 private:
  using Slices = std::vector<std::uint64_t>;
  using Counts = std::vector<std::int64_t>;  // position × 64

  void unary(lang::Operator op, const Slices& p, Slices& value) const;
  void binary(lang::Operator op, const Slices& p, const Slices& q, Slices& value) const;
  Counts count(const lang::Count& count) const;
  Counts term(lang::TermId id) const;
  void compare(const lang::Comparison& node, Slices& value) const;
  void predicate(const lang::CountPredicate& node, Slices& value) const;
  void congruence(const lang::Congruence& node, Slices& value) const;

  const lang::Formula& formula_;
  std::vector<bool> needed_;
  std::vector<Slices> values_;
  std::size_t n_ = 0;
};

}  // namespace quench::verify
