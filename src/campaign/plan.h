// A campaign cut into numbered pieces. What a piece is depends on the campaign and its number alone, so that any rank
// can do any of them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/tally.h"
#include "lang/rule.h"
#include "lower/recipe.h"

namespace quench::campaign {

class Plan {
 public:
  /// Reads the given rules. Throws DiagnosticError or UserError where one is wrong or no recipe has the name.
  explicit Plan(Campaign campaign);

  const Campaign& campaign() const { return campaign_; }
  std::uint64_t pieces() const { return pieces_; }
  /// Does one piece. Networks that are wrong and pieces that fail are told in the tally.
  Tally run(std::uint64_t piece) const;

 private:
  /// As the campaign writes it, and so the report; and what it means.
  struct NamedRecipe {
    std::string text;
    lower::RecipeOptions options;
  };
  /// Pieces in a row: given rules by every recipe, or random ones, each by one.
  struct Given {
    lang::Rule rule;
    std::vector<NamedRecipe> recipes;
  };
  struct Drawn {
    const RandomRules* rules;
    std::vector<NamedRecipe> recipes;
  };

  /// Of the campaign's recipes those that rules of this one's kind have.
  std::vector<NamedRecipe> chosen(const lang::Rule& rule) const;
  /// Throws UserError if none of the rules has one of them.
  void check_recipes() const;

  Campaign campaign_;
  std::vector<Given> given_;
  std::vector<Drawn> drawn_;
  std::uint64_t pieces_ = 0;
};

}  // namespace quench::campaign
