#include <fmt/format.h>

#include "lower/exact/options.h"
#include "lower/scan/scan.h"

namespace quench::lower {

const Recipe& choose_scan_recipe(const RecipeOptions& options) {
  static const Recipe recipe{"scan", "ours, an automaton as a causal decoder that is exact up to a length [Q-scan]",
                             {},     Temperature::one,
                             {},     TieBreak::none,
                             true,   true,
                             false,  true};
  const bool known = options.recipe == "auto" || options.recipe == recipe.name || options.recipe == "exact" ||
                     options.recipe == "exact-decoder";
  if (!known) {
    const bool exists = find_recipe(options.recipe) || options.recipe == "paper";
    throw DiagnosticError(
        {Diagnostic{exists ? "E123" : "E105",
                    exists ? fmt::format("recipe {} is for formulas, not for automata", options.recipe)
                           : fmt::format("there is no recipe '{}'", options.recipe),
                    {},
                    {"automata have the recipe scan; leave out --recipe"}}});
  }
  check_exact_options(recipe, options);
  return recipe;
}

}  // namespace quench::lower
