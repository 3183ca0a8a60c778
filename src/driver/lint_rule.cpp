#include "driver/lint_rule.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "driver/language_of.h"
#include "lang/operators.h"
#include "lint/lint.h"

namespace quench::driver {
namespace {

/// Nodes worked out, all told, to make the automaton of a rule.
constexpr std::size_t kMostWork = 300'000;

/// What may be spent on the automaton; nothing: it is not tried.
std::optional<automata::Limits> small_limits(const lang::Formula& formula) {
  const std::vector<bool> reachable = formula.reachable();
  std::size_t nodes = 0, guesses = 0;
  for (std::size_t k = 0; k < formula.size(); ++k) {
    if (!reachable[k]) continue;
    ++nodes;
    const auto* unary = std::get_if<lang::Unary>(&formula[lang::FormulaId(k)]);
    const auto* binary = std::get_if<lang::Binary>(&formula[lang::FormulaId(k)]);
    if (!unary && !binary) continue;
    const lang::Modality modality = lang::facts(unary ? unary->op : binary->op).modality;
    guesses += modality == lang::Modality::next || modality == lang::Modality::until;
  }
  constexpr std::size_t kMostGuesses = 6;
  if (guesses > kMostGuesses) return std::nullopt;
  const std::size_t work_at_a_state = (nodes * (formula.alphabet.size() + 1)) << guesses;
  automata::Limits limits;
  limits.progression = std::min<std::size_t>(kMostWork / work_at_a_state, 1000);
  limits.states = guesses == 0 ? limits.progression : std::min<std::size_t>(limits.progression, 100);
  limits.transitions = kMostWork;
  limits.guesses = kMostGuesses;
  if (limits.states < 2) return std::nullopt;
  return limits;
}

/// Whether all words that the alphabet allows are accepted, or none; the empty word is no word. Every state of a minimal
/// automaton can be reached.
std::optional<bool> accepts_all_or_none(const lang::Dfa& dfa, bool closed) {
  bool accepts = false, rejects = false;
  for (lang::State s = 0; s < dfa.size(); ++s)
    for (lang::Letter letter = 0; letter < dfa.letters(); ++letter)
      if (!closed || letter != dfa.other()) (dfa.accepting(dfa.next(s, letter)) ? accepts : rejects) = true;
  if (accepts == rejects) return std::nullopt;
  return accepts;
}

}  // namespace

std::vector<Diagnostic> lint_rule(const lang::Rule& rule) {
  const auto* formula = std::get_if<lang::Formula>(&rule);
  if (!formula) return {};
  std::vector<Diagnostic> warnings = lint::lint(*formula);
  if (!warnings.empty() || !lint::mentions_anything(*formula)) return warnings;
  const std::optional<automata::Limits> limits = small_limits(*formula);
  if (!limits) return {};
  try {
    const std::optional<bool> all = accepts_all_or_none(language_of(rule, *limits), formula->closed);
    if (!all) return {};
    return {{"W001",
             *all ? "this rule is true at the end of every word: it accepts them all"
                  : "this rule is false at the end of every word: it accepts none",
             formula->span(formula->root),
             {}}};
  } catch (const UserError&) {  // not regular, or too large
    return {};
  }
}

}  // namespace quench::driver
