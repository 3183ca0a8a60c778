// Evaluators of what the model file gives by formula: position encodings and numerical predicates here, temperatures in
// base/temperature.h.
#pragma once

#include <cstddef>
#include <vector>

#include "base/position_formula.h"
#include "base/temperature.h"

namespace quench::model {

/// The coordinate at position i (1-based) of a word of length n, correctly rounded to double (logarithms:
/// within one unit in the last place).
/// Throws UserError if a predicate's arithmetic overflows or divides by zero, or beyond the end of a table.
double position_value(const PositionFormula& formula, std::size_t i, std::size_t n);

/// The same at positions 1 to n, many times faster for predicates that are expressions.
std::vector<double> position_values(const PositionFormula& formula, std::size_t n);

using quench::inverse_temperature;

bool predicate_holds(const Predicate& predicate, std::int64_t x, std::int64_t n);

}  // namespace quench::model
