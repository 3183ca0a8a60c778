#include "automata/translate/translate.h"

#include <fmt/format.h>

#include <algorithm>

#include "automata/formula/formula_automaton.h"
#include "automata/machine/minimise.h"
#include "automata/translate/backwards.h"
#include "automata/translate/decompose/levels.h"
#include "lang/canonical.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::FormulaId;
using lang::Operator;

std::string name_of(const Strategy& strategy) {
  if (strategy.backwards) return "backwards";
  std::string name = strategy.modulus > 1 ? fmt::format("positions mod {}", strategy.modulus) : "labels";
  if (strategy.fold) name += ", folding";
  if (strategy.potential) name += ", potential";
  if (!strategy.events) name += ", without events";
  return name;
}

/// Whether the empty word is accepted does not matter to a formula: the smaller of the two automata.
Dfa smaller_without_empty_word(const Dfa& minimal) {
  Dfa other = minimal;
  const lang::State start = other.add_state(!minimal.accepts({}));
  for (lang::Letter a = 0; a < minimal.letters(); ++a) other.connect(start, a, minimal.next(minimal.initial, a));
  other.initial = start;
  other = minimise(other);
  return other.size() < minimal.size() ? other : minimal;
}

/// An event decides the word for good, the first one if there are several.
FormulaId finish(Logic& logic, Decomposition& decomposition) {
  const FormulaId accept = decomposition.accepting();
  const FormulaId win = decomposition.event(Event::win), lose = decomposition.event(Event::lose);
  if (logic.is(win, false) && logic.is(lose, false)) return accept;
  if (logic.is(win, false)) return logic.all_of({logic.unary(Operator::historically, logic.negation(lose)), accept});
  if (logic.is(lose, false)) return logic.any_of({logic.unary(Operator::once, win), accept});
  const FormulaId event = logic.any_of({win, lose});
  const FormulaId decided_before = logic.unary(Operator::previous, logic.unary(Operator::once, event));
  return logic.any_of({logic.all_of({logic.unary(Operator::historically, logic.negation(event)), accept}),
                       logic.unary(Operator::once, logic.all_of({win, logic.negation(decided_before)}))});
}

/// What the strategy makes of the machine.
FormulaId root_of(Logic& logic, const PartialMachine& machine, const Strategy& strategy, const Limits& limits,
                  std::vector<std::string>& description) {
  if (machine.initial_is_decided) return logic.constant(true);
  Budget budget(limits.translation, "translation", "steps of decomposing an automaton");
  const BaseVariables base(logic, machine, strategy, limits, budget);
  if (strategy.backwards) return backwards(logic, machine, base.features().front(), limits, budget, description);
  Decomposition decomposition(logic, machine, base, limits, budget);
  decomposition.separate_roles();
  const FormulaId root = finish(logic, decomposition);
  for (const auto* part : {&base.description(), &decomposition.description()})
    description.insert(description.end(), part->begin(), part->end());
  return root;
}

}  // namespace

lang::Formula translate_by(const Dfa& minimal, const Strategy& strategy, const Limits& limits,
                           const TranslationOptions& options, std::vector<std::string>* description) {
  lang::Formula formula;
  formula.alphabet = minimal.alphabet;
  formula.closed = options.closed;
  Logic logic(formula, options.first);
  const PartialMachine machine(minimal, strategy.modulus, strategy.events, options.closed, limits);
  std::vector<std::string> ignored;
  formula.root = root_of(logic, machine, strategy, limits, description ? *description : ignored);
  lang::Formula result = lang::canonical(formula);
  if (difference(result, minimal, limits)) throw UserError("the formula that came out is not equal to the automaton");
  return result;
}

Translation translate(const Dfa& dfa, std::size_t modulus, const Limits& limits, const TranslationOptions& options) {
  const Dfa minimal = smaller_without_empty_word(minimise(dfa));
  std::vector<Strategy> strategies;
  if (modulus > 0) {
    strategies.push_back({modulus, false, false});
    strategies.push_back({modulus, false, true});
    strategies.push_back({modulus, false, false, false});
  }
  if (modulus != 1) {
    strategies.push_back({1, true, false});
    strategies.push_back({1, false, false});
    strategies.push_back({1, false, true});
  }
  strategies.push_back({.events = false, .backwards = true});
  Translation result;
  for (const Strategy& strategy : strategies) {
    try {
      Candidate candidate;
      candidate.strategy = name_of(strategy);
      candidate.formula = translate_by(minimal, strategy, limits, options, &candidate.decomposition);
      candidate.size = size_of(candidate.formula);
      result.candidates.push_back(std::move(candidate));
    } catch (const UserError& error) {
      result.refusals.push_back({name_of(strategy), error.what()});
    }
  }
  const auto sort = [&] {
    std::stable_sort(result.candidates.begin(), result.candidates.end(),
                     [](const Candidate& a, const Candidate& b) { return a.size < b.size; });
  };
  // Half of the steps for the most promising one, half of the rest for the next, and so on.
  sort();
  Limits share = limits;
  for (Candidate& candidate : result.candidates) {
    share.shrinking /= 2;
    candidate.formula = shrink(candidate.formula, minimal, share);
    candidate.size = size_of(candidate.formula);
  }
  sort();
  return result;
}

}  // namespace quench::automata
