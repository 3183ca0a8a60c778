// A rule as text in another language: formulas and B-RASP programs into each other, automata into formulas, and
// everything regular into automata.
#pragma once

#include <string>
#include <string_view>

#include "automata/limits.h"
#include "automata/translate/translate.h"
#include "lang/rule.h"

namespace quench::driver {

/// To "formula" (or "ltl") or "brasp"; of regular rules also to "dfa", "att", "hoa" or "dot". An automaton becomes the
/// smallest formula found. Throws DiagnosticError or UserError where there is no translation, or no such language.
std::string translate_rule(const lang::Rule& rule, std::string_view to, const automata::Limits& limits = {});

/// A formula of an automaton for people, with a line that says how large it is.
std::string candidate_text(const automata::Candidate& candidate, const lang::Dfa& dfa, const automata::Limits& limits);

}  // namespace quench::driver
