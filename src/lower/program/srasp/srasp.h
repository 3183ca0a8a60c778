// S-RASP → uniform-tieless average-hard attention, as τ-SMAT with 1/τ = c·n³ ln(n+1).
#pragma once

#include "ir/graph.h"
#include "lang/program.h"
#include "lower/recipe.h"

namespace quench::lower {

/// "srasp". Throws DiagnosticError (E104, E123) if the options ask for something else.
const Recipe& choose_srasp_recipe(const RecipeOptions& options);

/// With c from [Q-srasp], or 16γ/3 if that is more. Throws DiagnosticError (E121, E125).
ir::Graph lower_srasp(const lang::Program& program, const Recipe& recipe, double gamma);

}  // namespace quench::lower
