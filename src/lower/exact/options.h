// What the recipes that are exact up to a length leave open, and what they do not.
#pragma once

#include "lower/recipe.h"

namespace quench::lower {

/// Throws DiagnosticError (E102, E107) if the options ask for what no exact recipe has.
void check_exact_options(const Recipe& recipe, const RecipeOptions& options);

}  // namespace quench::lower
