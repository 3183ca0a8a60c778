// The pipeline on one screen: rule → attention IR → layers → coordinates → weights.
#pragma once

#include <string>

#include "automata/limits.h"
#include "base/number/number_format.h"
#include "ir/graph.h"
#include "lang/dfa.h"
#include "lang/rule.h"
#include "lower/recipe.h"
#include "lower/scan/scan.h"
#include "model/transformer.h"
#include "opt/allocate.h"
#include "opt/schedule.h"

namespace quench::driver {

/// Every stage, kept for those who want to look (`quench show`).
struct Compilation {
  const lower::Recipe* recipe = nullptr;
  ir::Graph graph;  ///< simplified
  opt::Schedule schedule;
  opt::Layout layout;
  model::Transformer model;
  std::string formula;   ///< of an automaton: the text of the formula that this was made from; "" for other rules
  std::string strategy;  ///< that gave it, or why there is none; "" if it was known
  std::string choice;    ///< of an automaton: up to which length the usual recipe is certified; "" if this is the usual one
};

/// What there is to say about automata, besides the recipe.
struct RegularOptions {
  automata::Limits limits;
  NumberFormat format = NumberFormat::f32;  ///< in which the certified length chooses among formulas
};

/// Throws DiagnosticError if the rule or the options are at fault. Compiling `model.source` again gives the same bytes.
Compilation compile(const lang::Formula& formula, const lower::RecipeOptions& options = {});
Compilation compile(const lang::Program& program, const lower::RecipeOptions& options = {});
/// By [Q-scan]. `model.source` is left to who knows how the automaton is written.
Compilation compile(const lang::Dfa& dfa, const lower::RecipeOptions& options = {},
                    const lower::ScanLimits& limits = {});
/// See driver/compile_automaton.h.
Compilation compile(const lang::Automaton& automaton, const lower::RecipeOptions& options = {},
                    const RegularOptions& regular = {});
Compilation compile(const lang::Rule& rule, const lower::RecipeOptions& options = {},
                    const RegularOptions& regular = {});

/// From text. Throws DiagnosticError with everything that is wrong with it.
lang::Formula parse(std::string_view text);
lang::Program parse_program(std::string_view text);
/// A rule of any kind, by the file's extension (.tl; .brasp, .srasp; .regex, .dfa, .att, .hoa), else by what the text
/// looks like: a formula, a program, or what lang::print makes of an automaton. Also throws UserError beyond the limits.
lang::Rule parse_rule(std::string_view text, std::string_view file_name = {}, const automata::Limits& limits = {});

}  // namespace quench::driver
