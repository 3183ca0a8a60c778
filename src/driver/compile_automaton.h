// From an automaton to a network: by a formula, or, where there is none, by [Q-scan]. The strategies of
// automata/translate give several formulas, each proved equal to the automaton; of their networks, and those that are
// exact up to a length, [Q-scan] among them, the one is taken that is certified furthest, then the one with the fewest
// layers, then with the fewest heads. Lengths that agree in their leading bits are no reason to take more layers.
#pragma once

#include "automata/limits.h"
#include "automata/translate/translate.h"
#include "base/number/number_format.h"
#include "driver/compile.h"
#include "lang/automaton.h"

namespace quench::driver {

/// A certified length by its six leading bits: 7,228,324 and 7,228,325 are one length.
std::uint64_t comparable(std::uint64_t length);

/// The formulas of an automaton that has none yet, each once; there is at least one. Throws DiagnosticError (E110) that
/// says why there is none, and which limits were in the way.
automata::Translation formulas_of(const lang::Automaton& automaton, const automata::Limits& limits = {});

/// By [Q-scan], with no formula; `why` is what the compilation says of its strategy.
Compilation compile_by_scan(const lang::Automaton& automaton, lower::RecipeOptions options,
                            const automata::Limits& limits, const std::string& why);

/// The rule as it is, but an automaton has the formula that `compile` would choose; to compile it again and again.
lang::Rule settled(const lang::Rule& rule, const lower::RecipeOptions& options, const RegularOptions& regular = {});

/// Compiles one rule by several recipes: driver::compile, but the formulas of an automaton are found once, and each recipe
/// is that one alone: `auto` is the usual one of formulas.
class RuleCompiler {
 public:
  RuleCompiler(const lang::Rule& rule, const RegularOptions& regular);
  RuleCompiler(lang::Rule&&, const RegularOptions&) = delete;  // the rule has to last
  /// Throws DiagnosticError as driver::compile does; also, by all recipes but `scan`, for an automaton without a formula.
  Compilation operator()(const lower::RecipeOptions& options) const;

 private:
  const lang::Rule& rule_;
  RegularOptions regular_;
  std::vector<automata::Candidate> formulas_;
  std::optional<DiagnosticError> no_formula_;
};

}  // namespace quench::driver
