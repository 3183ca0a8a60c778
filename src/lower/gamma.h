// The range of γ.
#pragma once

#include "lower/recipe.h"

namespace quench::lower {

/// γ multiplies scores. Of the largest, γC·j²n of lookups in a word of the greatest length, 2^53, with C below 2^49 (beyond
/// that a comparison is refused), 2^208·γ and what the executors multiply it by must be finite in double precision.
inline constexpr double kLargestGamma = 0x1p700;

/// Throws DiagnosticError (E104) unless γ, where it is given, is a number between ln 16 and kLargestGamma.
void check_gamma(const RecipeOptions& options);

}  // namespace quench::lower
