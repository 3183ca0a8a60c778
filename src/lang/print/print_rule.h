// Rules of any kind as text that reads back as the same rule.
#pragma once

#include <string>

#include "lang/rule.h"

namespace quench::lang {

/// How each line begins that describes an automaton: a comment to those who look for a formula.
inline constexpr std::string_view kDescription = "//= ";

/// Its kind and its text, as comments, then the formula that it is compiled by, if it has one:
///
///   //= regex
///   //= (ab)*
///   Q_b & …
///
/// So the text is also one of a formula. automata/rule reads it, and proves again that the two are the same.
std::string print(const Automaton& automaton);

std::string print(const Rule& rule);

}  // namespace quench::lang
