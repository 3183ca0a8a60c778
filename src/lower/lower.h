// Formula → attention IR, one function per construct, each citing its theorem.
#pragma once

#include "ir/graph.h"
#include "lang/formula.h"
#include "lower/recipe.h"

namespace quench::lower {

/// `recipe` must cover the formula (choose_recipe sees to that). Throws DiagnosticError (E106) if the numbers
/// of a comparison are too large for double precision.
ir::Graph lower(const lang::Formula& formula, const Recipe& recipe, const Tuning& tuning);

/// Labels of nodes are whole up to a thousand bytes, in large formulas to fewer, so that all of them together stay about a
/// megabyte or a line each.
std::size_t longest_label(const lang::Formula& formula);

}  // namespace quench::lower
