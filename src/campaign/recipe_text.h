// Recipes as campaigns write them: a name, and options as on the command line: "exact --digits --length 65536". And
// which of them rules of a kind may have.
#pragma once

#include <string>
#include <vector>

#include "lang/rule.h"
#include "lower/recipe.h"

namespace quench::campaign {

/// Throws UserError if the options are none that recipes have; whether this recipe has them, `objection` says.
lower::RecipeOptions recipe_options(const std::string& text);

/// What "all" stands for, by the kind of the rule: automata have a formula's recipe or, always, the scan; others what
/// is theirs by name, `tight` also by digits.
std::vector<std::string> all_recipes(const lang::Rule& rule);

/// Why rules of this one's kind have no such recipe, or not with these options; "" if they have it.
std::string objection(const std::string& recipe, const lang::Rule& rule);

}  // namespace quench::campaign
