// Parts of a formula that are always equal, or always opposite, made one: found by running the formula through all its
// states, and proved by whoever uses the result.
#pragma once

#include "automata/limits.h"
#include "lang/formula.h"

namespace quench::automata {

/// The formula must look to the left only. Parts are compared at all positions of all words by sums of random numbers,
/// so the result is most probably equal, and has to be proved; with differences of counts only up to where the formula
/// is settled for good, so it may well differ.
lang::Formula swept(const lang::Formula& formula, const Limits& limits, Budget& budget);

}  // namespace quench::automata
