// Automata as texts: our own format, AT&T's (OpenFst), and the Hanoi format (HOA), read as automata of finite words.
// docs/automata.md describes all three. Readers never throw on any bytes but for limits (UserError); what is wrong is
// reported as in formulas.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "automata/limits.h"
#include "base/text/diagnostic.h"
#include "lang/dfa.h"

namespace quench::automata {

struct ParsedAutomaton {
  std::optional<lang::Nfa> nfa;         ///< empty if there is any diagnostic
  bool deterministic = false;           ///< the text says that it is (`dfa`), which was checked
  std::vector<Diagnostic> diagnostics;  ///< in the order of the text
};

ParsedAutomaton parse_automaton(std::string_view text, const Limits& limits = {});
/// `from to symbol [symbol [weight]]` or `state [weight]` (accepting) on a line; the first line begins with the initial
/// state.
/// `<eps>` reads nothing; `0` is a symbol like others. Weights are not looked at.
ParsedAutomaton parse_att(std::string_view text, const Limits& limits = {});
/// Of a HOA automaton with one acceptance set: a finite word is accepted if it can end in a state of that set. Every
/// atomic proposition is a symbol, and a label is read for words in which exactly one of them, or none, is true.
ParsedAutomaton parse_hoa(std::string_view text, const Limits& limits = {});

/// Each reads what it writes: parse_…(print_…(a)) is a again.
std::string print_automaton(const lang::Dfa& dfa);
std::string print_automaton(const lang::Nfa& nfa);
std::string print_att(const lang::Dfa& dfa);
std::string print_hoa(const lang::Dfa& dfa);

/// The same edges; it must have one initial state, no silent steps and no two edges with one letter from one state.
lang::Dfa as_dfa(const lang::Nfa& nfa);
bool is_deterministic(const lang::Nfa& nfa);
lang::Nfa as_nfa(const lang::Dfa& dfa);

}  // namespace quench::automata
