// The recipes, as one table: the paper's, each named by its theorem, and ours, `tight` in three flavours and `exact` in
// two; and the choice among them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/attention_kind.h"
#include "base/position_formula.h"
#include "base/text/diagnostic.h"
#include "lang/formula.h"
#include "lower/fragment.h"

namespace quench::lower {

/// How a recipe breaks ties among equally good positions.
enum class TieBreak : std::uint8_t {
  none,       // it has no tie-breaking heads
  over_n,     // [P-L8b], [P-L8c]: ± j/(2n), scores scaled by 2γn
  over_i_sq,  // [P-L8a]: − 1/j, scores scaled by γi²
  linear,     // [Q-dyadic], [Q-since-lin]: ± j after scaling, γ a power of two
};

struct Recipe {
  std::string_view name;       ///< "12a", "tight-decoder"
  std::string_view theorem;    ///< "Theorem 12(a)", or what ours is
  Features covers;
  Temperature temperature;
  std::vector<PositionFormula::Kind> position_encodings;  ///< besides numerical predicates
  TieBreak tie_break;
  bool by_position;  ///< form b: τ = 1, sharpened by unbounded position encodings
  bool decoder;      ///< future-masked only
  bool tight = false;  ///< ours (docs/theory-tight.md), not the paper's
  bool exact = false;  ///< ours, for words up to a length that is asked for (docs/theory-exact.md)

  bool of_the_paper() const { return !tight && !exact; }
  /// The theorem's number: "12" of "12a" and "12b". Of the paper's recipes only.
  std::string_view number() const { return name.substr(0, 2); }
};

const std::vector<Recipe>& recipes();
const Recipe* find_recipe(std::string_view name);

enum class Sharpen : std::uint8_t { temperature, position };

struct RecipeOptions {
  std::string recipe = "auto";      ///< auto, paper, tight, exact, or a name
  std::optional<Sharpen> sharpen;   ///< unset: as the recipe has it, temperature when there is a choice
  bool decoder = false;             ///< only future-masked recipes
  std::optional<double> gamma;      ///< unset: 3 as in the paper, 16 for tight; exact has its own
  bool digits = false;              ///< tight: positions as base-256 digits, exact in half formats [Q-digits]
  std::optional<std::size_t> length = {};  ///< exact: the longest word that the weights serve; unset: kExactLength
  bool unshared = false;            ///< every value has a coordinate of its own, and nothing is cleared
};

/// What a recipe leaves open.
struct Tuning {
  double gamma = 3;
  bool digits = false;
  int length_bits = 0;  ///< of exact: words have at most 2^length_bits symbols
};

inline constexpr double kPaperGamma = 3;
inline constexpr double kTightGamma = 16;
inline constexpr std::size_t kExactLength = std::size_t{1} << 20;
inline constexpr int kFewestExactBits = 2;
inline constexpr std::size_t kLongestExact = std::size_t{1} << 23;  ///< [Q-match] is exact in float32 up to here

/// The recipe for a formula. Throws DiagnosticError (E101 … E105, E107) naming the offending subformula and the way out.
const Recipe& choose_recipe(const lang::Formula& formula, const RecipeOptions& options);
/// The same for a name that is no recipe of a program's kind, whose recipes are `own`. Throws DiagnosticError: E123 if
/// it is one of formulas, E105 if there is none of that name.
[[noreturn]] void refuse_recipe(const std::string& name, const std::string& kind,
                                const std::vector<std::string_view>& own);
Tuning tuning(const Recipe& recipe, const RecipeOptions& options);

}  // namespace quench::lower
