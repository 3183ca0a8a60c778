// The pipeline on one screen: formula → attention IR → layers → coordinates → weights.
#pragma once

#include <string>

#include "ir/graph.h"
#include "lang/formula.h"
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

/// Throws DiagnosticError if the formula or the options are at fault.
Compilation compile(const lang::Formula& formula, const lower::RecipeOptions& options = {});

/// From text. Throws DiagnosticError with everything that is wrong with it.
lang::Formula parse(std::string_view text);

}  // namespace quench::driver
