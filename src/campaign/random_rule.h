// Rules drawn from a seed, as programs and automata too.
#pragma once

#include "base/number/random.h"
#include "campaign/campaign.h"
#include "lang/rule.h"
#include "lower/recipe.h"

namespace quench::campaign {

/// Of formulas only what the recipe covers is drawn; null: everything.
lang::Rule random_rule(Random& random, const RandomRules& rules, const lower::Recipe* recipe);

/// The text of a regular expression with about so many operators over the first symbols of a, b, c, …
std::string random_regex(Random& random, std::uint64_t operators, std::uint64_t symbols);

/// Every state has every transition; each is accepting with probability 1/2. Not minimal.
lang::Dfa random_dfa(Random& random, std::uint64_t states, std::uint64_t symbols);

}  // namespace quench::campaign
