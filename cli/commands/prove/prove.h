// quench verify --prove: what the weights were made from is the rule, for words of all lengths.
#pragma once

#include "cli/arguments/source.h"

namespace quench::cli {

/// Prints the proof or a counterexample (and then throws NegativeFinding). What remains to be known is the recipe's
/// theorem, and the certificate for number formats. Throws UserError if the model is not the compiler's, or a rule is
/// not regular.
void prove(const LoadedModel& loaded, const lang::Rule& rule, const automata::Limits& limits, bool as_json);

}  // namespace quench::cli
