// One piece of a campaign: a rule, by a recipe, in every format and by every engine of the campaign.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "campaign/campaign.h"
#include "campaign/tally.h"
#include "lang/rule.h"
#include "lower/recipe.h"

namespace quench::campaign {

struct Piece {
  std::uint64_t number = 0, part = 0;
  std::string recipe;  ///< as reports name it
  lower::RecipeOptions options;
  std::uint64_t seed = 0;  ///< of its words
  int draws = 1;           ///< rules that may be asked for: the first that the recipe makes something of is tried
};

/// Never throws but for want of memory: what goes wrong is told in the tally. `next` gives the rule, and
/// another one whenever it is called again.
Tally run_piece(const Campaign& campaign, const Piece& piece, const std::function<lang::Rule()>& next);

}  // namespace quench::campaign
