// The recipes of the paper, each named by its theorem, as one table; and the choice among them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/attention_kind.h"
#include "base/diagnostic.h"
#include "base/position_formula.h"
#include "lang/formula.h"
#include "lower/fragment.h"

namespace quench::lower {

/// How a recipe breaks ties among equally good positions.
enum class TieBreak : std::uint8_t {
  none,       // it has no tie-breaking heads
  over_n,     // [P-L8b], [P-L8c]: ± j/(2n), scores scaled by 2γn
  over_i_sq,  // [P-L8a]: − 1/j, scores scaled by γi²
};

struct Recipe {
  std::string_view name;       ///< "12a"
  std::string_view theorem;    ///< "Theorem 12(a)"
  Features covers;
  Temperature temperature;
  std::vector<PositionFormula::Kind> position_encodings;  ///< besides numerical predicates
  TieBreak tie_break;
  bool by_position;  ///< form b: τ = 1, sharpened by unbounded position encodings
  bool decoder;      ///< future-masked only

  /// The theorem's number: "12" of "12a" and "12b".
  std::string_view number() const { return name.substr(0, 2); }
};

const std::vector<Recipe>& recipes();
const Recipe* find_recipe(std::string_view name);

enum class Sharpen : std::uint8_t { temperature, position };

struct RecipeOptions {
  std::string recipe = "auto";      ///< auto, paper, or a name
  std::optional<Sharpen> sharpen;   ///< unset: as the recipe has it, temperature when there is a choice
  bool decoder = false;             ///< only future-masked recipes
  double gamma = 3;
};

/// The recipe for a formula. Throws DiagnosticError (E101 … E105) naming the offending subformula and the way out.
const Recipe& choose_recipe(const lang::Formula& formula, const RecipeOptions& options);

}  // namespace quench::lower
