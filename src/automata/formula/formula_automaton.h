// Formulas of the regular fragment as automata, and proofs that a formula and an automaton say the same of every word.
#pragma once

#include <optional>

#include "automata/limits.h"
#include "automata/machine/boolean.h"
#include "lang/dfa.h"
#include "lang/formula.h"

namespace quench::automata {

/// The minimal automaton of the non-empty words that the formula accepts. Throws UserError if the formula is outside
/// the fragment (automata/formula/progression.h) or beyond `limits.progression` states.
lang::Dfa automaton_of(const lang::Formula& formula, const Limits& limits = {});

/// A non-empty word, as short as there is any, on which formula and automaton differ; nothing: they are equal on all.
/// If the formula declares its alphabet, words have these symbols only. The formula must look to the left only, and may
/// compare counts with each other. Throws UserError beyond the limits or when the budget (`limits.proof` nodes if there
/// is none) is spent, so it never says "equal" without a proof.
std::optional<Difference> difference(const lang::Formula& formula, const lang::Dfa& dfa, const Limits& limits = {},
                                     Budget* budget = nullptr);

}  // namespace quench::automata
