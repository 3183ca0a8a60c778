// B-RASP → attention IR, directly: one head per attention operation.
#pragma once

#include "ir/graph.h"
#include "lang/program.h"
#include "lower/recipe.h"

namespace quench::lower {

/// "brasp" (τ = 1/n) or "brasp-b" (τ = 1, sharpened by the position encoding n). Throws DiagnosticError (E104, E123) if
/// the options ask for something else.
const Recipe& choose_brasp_recipe(const RecipeOptions& options);

/// Throws DiagnosticError (E121) if a score has too many cases.
ir::Graph lower_brasp(const lang::Program& program, const Recipe& recipe, double gamma);

}  // namespace quench::lower
