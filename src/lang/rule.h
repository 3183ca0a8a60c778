// A rule of any kind: a formula, a program, or a regular expression or automaton. What commands and verification work
// on.
#pragma once

#include <variant>

#include "base/overloaded.h"
#include "lang/automaton.h"
#include "lang/formula.h"
#include "lang/program.h"

namespace quench::lang {

using Rule = std::variant<Formula, Program, Automaton>;

inline const Alphabet& alphabet(const Rule& rule) {
  return std::visit(Overloaded{[](const Formula& formula) -> const Alphabet& { return formula.alphabet; },
                               [](const Program& program) -> const Alphabet& { return program.alphabet; },
                               [](const Automaton& automaton) -> const Alphabet& { return automaton.dfa.alphabet; }},
                    rule);
}
/// Whether words have the symbols of the alphabet and no others: `alphabet {…}` in a formula, `alphabet …` in the text
/// of an automaton. (In a program it only mentions symbols.)
inline bool closed(const Rule& rule) {
  return std::visit(
      Overloaded{[](const Formula& formula) { return formula.closed; }, [](const Program&) { return false; },
                 [](const Automaton& automaton) { return automaton.closed(); }},
      rule);
}
inline Sort output_sort(const Rule& rule) {
  const auto* program = std::get_if<Program>(&rule);
  return program ? program->output_sort() : Sort::boolean;
}

}  // namespace quench::lang
