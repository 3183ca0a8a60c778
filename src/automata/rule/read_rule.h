// Texts → rules: a regular expression, or an automaton in one of the formats, as what lang/automaton.h describes.
#pragma once

#include <optional>
#include <string_view>

#include "automata/limits.h"
#include "lang/automaton.h"

namespace quench::automata {

/// Throws DiagnosticError with what is wrong with the text, UserError where it leads beyond the limits.
lang::Automaton read_rule(std::string_view text, lang::AutomatonText kind, const Limits& limits = {});

/// By the ending of a file's name: .regex, .dfa, .att, .hoa.
std::optional<lang::AutomatonText> kind_of_file(std::string_view name);

/// Whether a text is one that lang::print makes of an automaton; and reading it. Its formula, if there is one, is
/// proved to be equal to the automaton. Throws as above; that they differ is an error of the text.
bool describes_automaton(std::string_view text);
lang::Automaton read_description(std::string_view text, const Limits& limits = {});

}  // namespace quench::automata
