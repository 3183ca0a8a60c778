// Smaller formulas for the same language: equal parts are made one, and parts are replaced by their own parts or by
// constants, as long as a proof says that nothing has changed.
#pragma once

#include "automata/limits.h"
#include "automata/translate/shrink/formula_size.h"
#include "lang/dfa.h"
#include "lang/formula.h"

namespace quench::automata {

/// The formula must be right for all non-empty words, and so is the result. Works out at most `limits.shrinking` nodes
/// in proofs.
lang::Formula shrink(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits = {});

}  // namespace quench::automata
