#include "driver/language_of.h"

#include "automata/formula/formula_automaton.h"
#include "automata/machine/minimise.h"
#include "base/overloaded.h"
#include "lower/translate/translate.h"

namespace quench::driver {
namespace {

lang::Dfa without_other_symbols(lang::Dfa dfa) {
  for (lang::State s = 0; s < dfa.size(); ++s) dfa.connect(s, dfa.other(), lang::kNoState);
  return automata::minimise(dfa);
}

lang::Dfa language_of_formula(const lang::Formula& formula, const automata::Limits& limits) {
  lang::Dfa dfa = automata::automaton_of(formula, limits);
  return formula.closed ? without_other_symbols(std::move(dfa)) : dfa;
}

}  // namespace

lang::Dfa language_of(const lang::Rule& rule, const automata::Limits& limits) {
  return std::visit(
      Overloaded{[&](const lang::Formula& formula) { return language_of_formula(formula, limits); },
                 [&](const lang::Program& program) { return language_of_formula(lower::to_ltl(program), limits); },
                 [](const lang::Automaton& automaton) { return automaton.dfa; }},
      rule);
}

}  // namespace quench::driver
