// The pipeline on one screen: rule → attention IR → layers → coordinates → weights.
#pragma once

#include <string>

#include "ir/graph.h"
#include "lang/dfa.h"
#include "lang/rule.h"
#include "lower/recipe.h"
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
};

/// Throws DiagnosticError if the rule or the options are at fault. Compiling `model.source` again gives the same bytes.
Compilation compile(const lang::Formula& formula, const lower::RecipeOptions& options = {});
Compilation compile(const lang::Program& program, const lower::RecipeOptions& options = {});
Compilation compile(const lang::Rule& rule, const lower::RecipeOptions& options = {});
/// By [Q-scan]. `model.source` is left to who knows how the automaton is written.
Compilation compile(const lang::Dfa& dfa, const lower::RecipeOptions& options = {});

/// From text. Throws DiagnosticError with everything that is wrong with it.
lang::Formula parse(std::string_view text);
lang::Program parse_program(std::string_view text);
/// A formula or a program, by the file's extension (.tl; .brasp, .srasp), else by what the text looks like.
lang::Rule parse_rule(std::string_view text, std::string_view file_name = {});

}  // namespace quench::driver
