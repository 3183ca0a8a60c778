#include "campaign/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "campaign/piece.h"
#include "campaign/random_rule.h"
#include "certified/compare_recipes.h"
#include "driver/compile.h"
#include "model/file/strict_json.h"

namespace quench::campaign {
namespace {

constexpr std::string_view kByDigits = " --digits";

std::string_view without_digits(std::string_view recipe) {
  return recipe.ends_with(kByDigits) ? recipe.substr(0, recipe.size() - kByDigits.size()) : recipe;
}

/// What rules of a kind may have: automata a formula's recipe or, always, the scan; `tight` also by digits.
std::vector<std::string> possible_recipes(const lang::Rule& rule) {
  if (std::holds_alternative<lang::Automaton>(rule)) return {"auto", "scan"};
  std::vector<std::string> result;
  for (const std::string& name : certified::recipes_for(rule)) {
    result.push_back(name);
    if (const lower::Recipe* recipe = lower::find_recipe(name); recipe && recipe->tight)
      result.push_back(name + std::string(kByDigits));
  }
  return result;
}

/// A rule of the kind, to ask what recipes there are.
lang::Rule any_rule(RuleKind kind) {
  Random random(1);
  return random_rule(random, {kind, 1, 1, 2, 2}, nullptr);
}

lang::Rule parsed(const GivenRule& rule) {
  try {
    return driver::parse_rule(rule.text, rule.name);
  } catch (const DiagnosticError& error) {
    throw UserError(
        fmt::format("the rule {}: {}", model::in_quotes(rule.name.empty() ? rule.text : rule.name), error.what()));
  }
}

/// Mixed, so that neighbouring seeds and numbers have nothing in common.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t list, std::uint64_t number) {
  Random random(seed);
  Random of_list(random.bits() + list);
  return Random(of_list.bits() + number).bits();
}

}  // namespace

std::vector<std::string> Plan::chosen(const std::vector<std::string>& possible) const {
  if (campaign_.recipes.empty()) return possible;
  std::vector<std::string> result;
  std::ranges::copy_if(campaign_.recipes, std::back_inserter(result),
                       [&](const std::string& name) { return std::ranges::find(possible, name) != possible.end(); });
  return result;
}

Plan::Plan(Campaign campaign) : campaign_(std::move(campaign)) {
  for (const std::string& name : campaign_.recipes) {
    const auto known = [&](const lang::Rule& rule) {
      const auto possible = possible_recipes(rule);
      return std::ranges::find(possible, name) != possible.end();
    };
    if (std::ranges::none_of(all_of<RuleKind>(), [&](RuleKind kind) { return known(any_rule(kind)); }))
      throw UserError(fmt::format("no rules have a recipe '{}'", name));
  }
  for (const GivenRule& rule : campaign_.rules) {
    Given given{parsed(rule), {}};
    given.recipes = chosen(possible_recipes(given.rule));
    pieces_ += given.recipes.size() * campaign_.parts;
    given_.push_back(std::move(given));
  }
  for (const RandomRules& rules : campaign_.random) {
    drawn_.push_back({&rules, chosen(possible_recipes(any_rule(rules.kind)))});
    if (!drawn_.back().recipes.empty()) pieces_ += rules.count * campaign_.parts;
  }
}

Tally Plan::run(std::uint64_t piece) const {
  const std::uint64_t part = piece % campaign_.parts;
  std::uint64_t number = piece / campaign_.parts;
  const auto options = [&](const std::string& name) {
    lower::RecipeOptions result;
    result.recipe = without_digits(name);
    result.digits = name.ends_with(kByDigits);
    return result;
  };
  for (const Given& given : given_) {
    if (number < given.recipes.size()) {
      const std::string& recipe = given.recipes[number];
      return run_piece(campaign_, {piece, part, recipe, options(recipe), mixed(campaign_.seed, 0, piece)},
                       [&] { return given.rule; });
    }
    number -= given.recipes.size();
  }
  for (std::size_t list = 0; list < drawn_.size(); ++list) {
    const Drawn& drawn = drawn_[list];
    const std::uint64_t count = drawn.recipes.empty() ? 0 : drawn.rules->count;
    if (number < count) {
      const std::string& recipe = drawn.recipes[number % drawn.recipes.size()];
      const std::uint64_t seed = mixed(campaign_.seed, list + 1, number);
      return run_piece(campaign_, {piece, part, recipe, options(recipe), seed}, [&] {
        Random random(seed);
        return random_rule(random, *drawn.rules, lower::find_recipe(without_digits(recipe)));
      });
    }
    number -= count;
  }
  throw InternalError("a piece beyond the campaign");
}

}  // namespace quench::campaign
