// A rule of any kind: a formula or a program. What commands and verification work on.
#pragma once

#include <variant>

#include "lang/formula.h"
#include "lang/program.h"

namespace quench::lang {

using Rule = std::variant<Formula, Program>;

inline const Alphabet& alphabet(const Rule& rule) {
  return std::visit([](const auto& r) -> const Alphabet& { return r.alphabet; }, rule);
}
/// Whether words have the symbols of the alphabet and no others: `alphabet {…}` in a formula. (In a program it only
/// mentions symbols.)
inline bool closed(const Rule& rule) {
  const auto* formula = std::get_if<Formula>(&rule);
  return formula && formula->closed;
}
inline Sort output_sort(const Rule& rule) {
  const auto* program = std::get_if<Program>(&rule);
  return program ? program->output_sort() : Sort::boolean;
}

}  // namespace quench::lang
