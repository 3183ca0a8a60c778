#include "driver/exact_difference.h"

#include <algorithm>

#include "automata/formula/formula_automaton.h"
#include "automata/machine/boolean.h"
#include "base/error.h"
#include "driver/language_of.h"

namespace quench::driver {
namespace {

using lang::Dfa;
using lang::Letter;
using lang::State;

/// The words over `symbols` that are not empty and have letters that are allowed.
Dfa restricted(const Dfa& dfa, const Alphabet& symbols, const std::vector<bool>& allowed) {
  Dfa result = automata::over_alphabet(dfa, symbols);
  const State start = result.add_state(false);
  for (Letter a = 0; a < result.letters(); ++a) {
    result.connect(start, a, result.next(result.initial, a));
    if (allowed[a]) continue;
    for (State s = 0; s < result.size(); ++s) result.connect(s, a, lang::kNoState);
  }
  result.initial = start;
  return result;
}

/// By letter, the last being all symbols that neither rule lists.
std::vector<bool> allowed_letters(const Alphabet& symbols, const lang::Rule& first, const lang::Rule& second) {
  const auto allows = [](const lang::Rule& rule, const std::string& symbol) {
    return !lang::closed(rule) || lang::alphabet(rule).find(symbol) != kUnmentioned;
  };
  std::vector<bool> allowed;
  for (const std::string& symbol : symbols.symbols())
    allowed.push_back(allows(first, symbol) && allows(second, symbol));
  allowed.push_back(!lang::closed(first) && !lang::closed(second));
  return allowed;
}

std::optional<ExactDifference> by_automata(const lang::Rule& first, const lang::Rule& second,
                                           const automata::Limits& limits) {
  const Dfa a = language_of(first, limits), b = language_of(second, limits);
  const Alphabet symbols = automata::united(a.alphabet, b.alphabet);
  const std::vector<bool> allowed = allowed_letters(symbols, first, second);
  const auto found = automata::difference(restricted(a, symbols, allowed), restricted(b, symbols, allowed), limits);
  if (!found) return std::nullopt;
  return ExactDifference{symbols, found->word, found->first_accepts};
}

/// A formula that compares counts has no automaton of its own, but may be equal to one: both are run together, all
/// states that words of any symbols lead to.
std::optional<ExactDifference> together(const lang::Formula& formula, const lang::Automaton& automaton,
                                        const automata::Limits& limits) {
  const auto found = automata::difference(formula, automaton.dfa, limits);
  if (!found) return std::nullopt;
  const Alphabet symbols = automata::united(automaton.dfa.alphabet, formula.alphabet);
  const std::vector<bool> allowed = allowed_letters(symbols, formula, automaton);
  for (const Symbol s : found->word)
    if (!allowed[s == kUnmentioned ? symbols.size() : static_cast<std::size_t>(s)])
      throw UserError("the rules differ on a word of symbols that are not declared; without them nothing is known");
  return ExactDifference{symbols, found->word, found->first_accepts};
}

}  // namespace

std::optional<ExactDifference> exact_difference(const lang::Rule& first, const lang::Rule& second,
                                                const automata::Limits& limits) {
  for (const lang::Rule* rule : {&first, &second})
    if (lang::output_sort(*rule) != lang::Sort::boolean)
      throw UserError("a rule that does not accept or reject has no language");
  const Alphabet symbols = automata::united(lang::alphabet(first), lang::alphabet(second));
  if (!std::ranges::count(allowed_letters(symbols, first, second), true))
    throw UserError("the alphabets of the rules have no symbol in common, so no word is of both");
  try {
    return by_automata(first, second, limits);
  } catch (const UserError&) {
    const auto *f = std::get_if<lang::Formula>(&first), *g = std::get_if<lang::Formula>(&second);
    const auto *a = std::get_if<lang::Automaton>(&first), *b = std::get_if<lang::Automaton>(&second);
    if (f && b) return together(*f, *b, limits);
    if (!g || !a) throw;
    auto found = together(*g, *a, limits);
    if (found) found->first_accepts = !found->first_accepts;
    return found;
  }
}

}  // namespace quench::driver
