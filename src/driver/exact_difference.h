// Two regular rules on all words: a proof that they are equal, or a shortest word on which they differ.
#pragma once

#include <optional>

#include "automata/limits.h"
#include "lang/rule.h"

namespace quench::driver {

struct ExactDifference {
  Alphabet symbols;
  Word word;  ///< over these; not empty, and among the shortest the first in the order of the symbols
  bool first_accepts = false;
};

/// At the last position of non-empty words of symbols that both rules allow (lang::closed); nothing is a proof that
/// there is no difference. Throws UserError or DiagnosticError that say why it cannot be decided: a rule that is not
/// known to be regular (driver/language_of.h), or a limit.
std::optional<ExactDifference> exact_difference(const lang::Rule& first, const lang::Rule& second,
                                                const automata::Limits& limits = {});

}  // namespace quench::driver
