#include "cli/arguments/recipes.h"

#include <fmt/format.h>

#include <algorithm>

#include "bounds/lemmas.h"
#include "cli/arguments/numbers.h"
#include "lower/gamma.h"
#include "lower/recipe.h"
#include "model/file/strict_json.h"

namespace quench::cli {

Check recipe_name() {
  std::vector<std::string> names = {"auto", "paper"}, theorems;
  for (const lower::Recipe& recipe : lower::recipes())
    (recipe.of_the_paper() ? theorems : names).emplace_back(recipe.name);
  names.insert(names.end(), {"scan", "brasp", "brasp-b", "srasp"});  // of automata and programs
  std::ranges::sort(theorems);
  names.insert(names.end(), theorems.begin(), theorems.end());
  return one_of(names);
}

Check gamma_value() {
  return [](std::string& text) {
    const std::optional<double> gamma = read_real(text);
    if (gamma && *gamma >= bounds::smallest_gamma() && *gamma <= lower::kLargestGamma) return std::string();
    return fmt::format(
        "{} is not a number from ln 16 = 2.7726 to {:.3g}; below, heads would not be sharp enough to "
        "round, and above, scores would overflow (the paper uses 3, tight 16)",
        model::in_quotes(text), lower::kLargestGamma);
  };
}

}  // namespace quench::cli
