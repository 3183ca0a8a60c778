#include "driver/smallest_formula.h"

#include <algorithm>

#include "automata/classify/decision.h"
#include "automata/formula/progression.h"
#include "base/error.h"
#include "driver/language_of.h"
#include "lang/canonical.h"

namespace quench::driver {
namespace {

/// What strategies make of the automaton; nothing where a limit is in the way.
std::vector<automata::Candidate> by_automaton(const lang::Dfa& dfa, bool closed, const automata::Limits& limits) {
  try {
    const automata::Decision decision = automata::decide(dfa, limits);
    return automata::translate(dfa, decision.modulus, limits, {closed, true}).candidates;
  } catch (const UserError&) {
    return {};
  }
}

}  // namespace

automata::Candidate smallest_formula(const lang::Formula& formula, const automata::Limits& limits) {
  const lang::Dfa dfa = language_of(formula, limits);
  automata::Candidate own;
  own.strategy = "the formula itself";
  own.formula = lang::canonical(formula);
  // A proof about a formula that looks to the right takes an automaton; one for every part left out would be too many.
  if (automata::Progression(own.formula, limits, true).deterministic()) {
    own.strategy += ", with less in it";
    own.formula = automata::shrink(own.formula, dfa, limits);
  }
  own.size = automata::size_of(own.formula);
  std::vector<automata::Candidate> all = by_automaton(dfa, formula.closed, limits);
  all.insert(all.begin(), std::move(own));
  return *std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.size < b.size; });
}

}  // namespace quench::driver
