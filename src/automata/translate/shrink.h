// Smaller formulas for the same language: parts are replaced by their own parts or by constants, as long as a proof
// says that nothing has changed.
#pragma once

#include "automata/limits.h"
#include "lang/dfa.h"
#include "lang/formula.h"

namespace quench::automata {

/// What a formula costs a network, about: how deep temporal operators and counts are nested, how many there are, and
/// how many connectives.
struct FormulaSize {
  std::size_t depth = 0, heads = 0, nodes = 0;
  friend auto operator<=>(const FormulaSize&, const FormulaSize&) = default;
};
FormulaSize size_of(const lang::Formula& formula);

/// The formula must be right for all non-empty words, and so is the result. Works out at most `limits.shrinking` nodes
/// in proofs.
lang::Formula shrink(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits = {});

}  // namespace quench::automata
