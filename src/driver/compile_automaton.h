// From an automaton to a network: by a formula, or, where there is none, by [Q-scan]. The strategies of
// automata/translate give several formulas, each proved equal to the automaton; what is compiled is the one whose network
// is certified furthest, then the one with the fewest layers, then with the fewest heads.
#pragma once

#include "automata/limits.h"
#include "automata/translate/translate.h"
#include "base/number/number_format.h"
#include "driver/compile.h"
#include "lang/automaton.h"

namespace quench::driver {

/// The formulas of an automaton that has none yet, each once; there is at least one. Throws DiagnosticError (E110) that
/// says why there is none, UserError beyond the limits.
automata::Translation formulas_of(const lang::Automaton& automaton, const automata::Limits& limits = {});

/// The best network of these formulas by this recipe. Throws DiagnosticError if the recipe covers none of them.
Compilation compile_best(const lang::Automaton& automaton, const automata::Translation& translation,
                         const lower::RecipeOptions& options, NumberFormat format);

/// By [Q-scan], with no formula; `why` is what the compilation says of its strategy.
Compilation compile_by_scan(const lang::Automaton& automaton, lower::RecipeOptions options, const std::string& why);

/// The rule as it is, but an automaton has the formula that `compile` would choose; to compile it again and again.
lang::Rule settled(const lang::Rule& rule, const lower::RecipeOptions& options, const RegularOptions& regular = {});

/// Compiles one rule by several recipes: driver::compile, but the formulas of an automaton are found once.
class RuleCompiler {
 public:
  RuleCompiler(const lang::Rule& rule, const RegularOptions& regular);
  /// Throws DiagnosticError as driver::compile does; also, by all recipes but `scan`, for an automaton without a formula.
  Compilation operator()(const lower::RecipeOptions& options) const;

 private:
  const lang::Rule& rule_;
  RegularOptions regular_;
  std::optional<automata::Translation> translation_;
  std::optional<DiagnosticError> no_formula_;
};

}  // namespace quench::driver
