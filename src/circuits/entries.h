// The models of the circuits benchmark: which rules of examples/, compiled how, and why each is there.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "lang/rule.h"
#include "lower/recipe.h"

namespace quench::circuits {

/// Positions are a table of so many rows, and exact constructions serve words up to this length.
inline constexpr std::size_t kContext = 64;

enum class How : bool {
  usual,  ///< by the recipe that decoders usually get
  exact   ///< by whole numbers up to kContext: programs, and counts modulo a number
};

struct Entry {
  std::string_view folder, file;  ///< of examples/: "formulas", "flip_flop.tl"
  How how;
  std::string_view why;  ///< what a method has to find here

  /// "flip_flop", "flip_flop-program", "flip_flop-automaton"
  std::string name() const;
  /// "formula", "program" or "automaton"
  std::string_view kind() const;
  std::string_view text() const;
  lang::Rule rule() const;
  /// A decoder in which no coordinate is used twice.
  lower::RecipeOptions options() const;
};

/// All forty, by the number of true edges of their circuits.
std::span<const Entry> entries();

}  // namespace quench::circuits
