// Tables → formulas: a function of several variables, each with a few values, given at some points and free at the
// others.
#pragma once

#include <bitset>
#include <functional>
#include <string>
#include <vector>

#include "automata/limits.h"
#include "automata/translate/logic.h"

namespace quench::automata {

inline constexpr std::size_t kMostValues = 256;
using ValueSet = std::bitset<kMostValues>;

/// Something that has one of `values` values at every position.
struct Feature {
  std::size_t values = 0;
  std::function<lang::FormulaId(const ValueSet&)> is_in;
  int cost = 0;  ///< features with larger costs are avoided first
};

/// Given a formula for each value, of which one is true wherever it matters. Throws UserError if there are too many.
Feature feature_of(Logic& logic, std::vector<lang::FormulaId> values, int cost);

/// A value that is not known: no part of a formula may depend on it at this point.
inline constexpr std::int16_t kAnyValue = -1;
using Point = std::vector<std::int16_t>;

/// A formula that is true at the points `yes` and false at the points `no`; anywhere else it is what suits it. A sum of
/// products found by expanding points greedily, or the negation of one, whichever is shorter. Throws UserError if a
/// point is of both kinds.
lang::FormulaId cover(Logic& logic, const std::vector<Feature>& features, std::vector<Point> yes, std::vector<Point> no,
                      Budget& budget);

}  // namespace quench::automata
