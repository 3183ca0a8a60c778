// Evaluators of what the model file gives by formula: position encodings, numerical predicates, temperatures.
#pragma once

#include <cstddef>

#include "base/attention_kind.h"
#include "base/position_formula.h"

namespace quench::model {

/// The coordinate at position i (1-based) of a word of length n, correctly rounded to double (logarithms:
/// within one unit in the last place).
/// Throws UserError if a predicate's arithmetic overflows or divides by zero, or beyond the end of a table.
double position_value(const PositionFormula& formula, std::size_t i, std::size_t n);

/// 1/τ(i, n): an exact integer, or a product with ln(n+1) within three units in the last place.
double inverse_temperature(Temperature temperature, std::size_t i, std::size_t n);

bool predicate_holds(const Predicate& predicate, std::int64_t x, std::int64_t n);

}  // namespace quench::model
