// Formula → attention IR, one function per construct, each citing its theorem.
#pragma once

#include "ir/graph.h"
#include "lang/formula.h"
#include "lower/recipe.h"

namespace quench::lower {

/// `recipe` must cover the formula (choose_recipe sees to that). Throws DiagnosticError (E106) if the numbers
/// of a comparison are too large for double precision. Labels are the texts of subformulas; they are whole if the formula
/// has lang::names_for_labels.
ir::Graph lower(const lang::Formula& formula, const Recipe& recipe, const Tuning& tuning);

}  // namespace quench::lower
