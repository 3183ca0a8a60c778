// The truth of a formula at every position of a word, on bit planes: 64 positions to an instruction. This is the
// formula, not a network; it stands in for one only where a certificate says that the network's answers are the
// formula's.
#pragma once

#include <map>
#include <vector>

#include "bits/counts.h"
#include "bits/plane.h"
#include "lang/formula.h"

namespace quench::bits {

class Evaluator {
 public:
  /// The formula must outlive it.
  explicit Evaluator(const lang::Formula& formula);

  /// Whether counts and coefficients fit 64-bit arithmetic at this length.
  bool covers(std::size_t n) const;

  /// Needs covers(word.size()). The result lives until the next call.
  const Plane& evaluate(std::span<const Symbol> word);

 private:
  void unary(lang::Operator op, const Plane& p, Plane& out) const;
  void binary(lang::Operator op, const Plane& p, const Plane& q, Plane& out) const;
  void comparison(const lang::Comparison& node, Plane& out) const;
  std::vector<CountedPlane> counted(const lang::Term& term, int sign) const;
  /// Bit x is θ_n(x), 0 ≤ x ≤ n.
  const Plane& table(lang::PredicateId id);

  const lang::Formula& formula_;
  std::vector<bool> needed_;
  std::vector<Plane> planes_;
  std::vector<Symbol> symbols_;
  std::vector<lang::FormulaId> symbol_nodes_;
  std::map<std::uint32_t, Plane> tables_;  ///< by predicate, for length n_
  std::size_t n_ = 0;
};

}  // namespace quench::bits
