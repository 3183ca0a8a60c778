// Direct semantics of formulas, written to be obvious: what every network is checked against. Shares nothing with the
// lowering, the network or the position encodings.
#pragma once

#include <cstdint>
#include <vector>

#include "base/word.h"
#include "lang/formula.h"

namespace quench::oracle {

/// Truth value (0/1) of the rule at every position of a non-empty word over `formula.alphabet`. Linear time per
/// operator. Throws UserError if a predicate's arithmetic overflows or divides by zero.
std::vector<std::uint8_t> evaluate(const lang::Formula& formula, const Word& word);

/// The same for every node the root depends on, indexed by FormulaId (other entries are empty).
std::vector<std::vector<std::uint8_t>> evaluate_all(const lang::Formula& formula, const Word& word);

/// θ_n(x), x ≥ 0. Throws UserError as above.
bool holds(const Predicate& predicate, std::int64_t x, std::int64_t n);

}  // namespace quench::oracle
