// --recipe and --gamma: names and numbers that no rule could make right, which are refused before a rule is looked at.
#pragma once

#include "cli/arguments/options.h"

namespace quench::cli {

/// The name of a recipe, of whatever kind of rule it is for; "auto" and "paper" choose among them.
Check recipe_name();

/// A decimal number for which scores are sharp enough to be rounded, and finite in double precision.
Check gamma_value();

}  // namespace quench::cli
