// A rule compiled for a length and a number format: the cheapest of our constructions that is certified up to there.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/number/number_format.h"
#include "driver/compile.h"

namespace quench::certified {

/// A construction that was tried and is not certified up to the length.
struct TooShort {
  std::string recipe;         ///< with its options: "tight --digits"
  std::uint64_t length = 0;   ///< up to which it is certified
  std::string limiting_head;  ///< what stops there; the reason if nothing is certified at all
  std::string head;           ///< the head that stops it, in either case; empty if it is none
};

struct ForLength {
  driver::Compilation compilation;
  lower::RecipeOptions options;  ///< driver::compile with these gives the same
  std::vector<TooShort> too_short;
};

/// Tries `tight` (for programs, their own recipes), `exact`, for automata `scan`, and where a format is narrower than
/// float32 `tight --digits` and `exact --digits`; the format is that of `regular`. Takes, of those that are certified in
/// every engine, the one with the fewest layers, then heads, then coordinates. They are compared whole: `exact` has a head for every head of `tight` but for counts, and one exact
/// construction among others would cost the model its proof in whole numbers (docs/theory-exact.md). `options.recipe`
/// must be "auto". Throws DiagnosticError: as driver::compile does, and E108 if nothing reaches the length, which points
/// at the part of the rule at which the construction that reaches furthest ends, and says what can be had.
ForLength compile_for_length(const lang::Rule& rule, const lower::RecipeOptions& options,
                             const driver::RegularOptions& regular, std::uint64_t length);

}  // namespace quench::certified
