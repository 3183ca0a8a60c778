#include "campaign/plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text/diagnostic.h"
#include "campaign/piece.h"
#include "campaign/random_rule.h"
#include "campaign/recipe_text.h"
#include "driver/compile.h"
#include "model/file/strict_json.h"

namespace quench::campaign {
namespace {

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

/// How many rules are drawn until the recipe covers one. Formulas are drawn from its fragment, and whether an automaton
/// has a formula takes long to find out; of programs nothing says it but the recipe itself.
int draws(RuleKind kind) { return kind == RuleKind::brasp || kind == RuleKind::srasp ? 1000 : 1; }

/// The recipe of formulas that these options choose, whose fragment is drawn from; null for other rules.
const lower::Recipe* flavour(const RandomRules& rules, const lower::RecipeOptions& options) {
  if (rules.kind != RuleKind::formulas) return nullptr;
  return &lower::choose_recipe(driver::parse("Q_a"), options);
}

/// Mixed, so that neighbouring seeds and numbers have nothing in common.
std::uint64_t mixed(std::uint64_t seed, std::uint64_t list, std::uint64_t number) {
  Random random(seed);
  Random of_list(random.bits() + list);
  return Random(of_list.bits() + number).bits();
}

}  // namespace

std::vector<Plan::NamedRecipe> Plan::chosen(const lang::Rule& rule) const {
  const std::vector<std::string>& wanted = campaign_.recipes.empty() ? all_recipes(rule) : campaign_.recipes;
  std::vector<NamedRecipe> result;
  for (const std::string& name : wanted)
    if (objection(name, rule).empty()) result.push_back({name, recipe_options(name)});
  return result;
}

void Plan::check_recipes() const {
  for (const std::string& name : campaign_.recipes) {
    std::string why = "the campaign has no rules";
    const auto refuses = [&](const lang::Rule& rule) { return !(why = objection(name, rule)).empty(); };
    if (std::ranges::all_of(given_, refuses, &Given::rule) &&
        std::ranges::all_of(campaign_.random, [&](const RandomRules& rules) { return refuses(any_rule(rules.kind)); }))
      throw UserError(fmt::format("no rule of this campaign has the recipe {}: {}", model::in_quotes(name), why));
  }
}

Plan::Plan(Campaign campaign) : campaign_(std::move(campaign)) {
  for (const GivenRule& rule : campaign_.rules) {
    Given given{parsed(rule), {}};
    given.recipes = chosen(given.rule);
    pieces_ += given.recipes.size() * campaign_.parts;
    given_.push_back(std::move(given));
  }
  for (const RandomRules& rules : campaign_.random) {
    drawn_.push_back({&rules, chosen(any_rule(rules.kind))});
    if (!drawn_.back().recipes.empty()) pieces_ += rules.count * campaign_.parts;
  }
  check_recipes();
}

Tally Plan::run(std::uint64_t piece) const {
  const std::uint64_t part = piece % campaign_.parts;
  std::uint64_t number = piece / campaign_.parts;
  for (const Given& given : given_) {
    if (number < given.recipes.size()) {
      const auto& [recipe, options] = given.recipes[number];
      return run_piece(campaign_, {piece, part, recipe, options, mixed(campaign_.seed, 0, piece)},
                       [&] { return given.rule; });
    }
    number -= given.recipes.size();
  }
  for (std::size_t list = 0; list < drawn_.size(); ++list) {
    const Drawn& drawn = drawn_[list];
    const std::uint64_t count = drawn.recipes.empty() ? 0 : drawn.rules->count;
    if (number < count) {
      const auto& [recipe, options] = drawn.recipes[number % drawn.recipes.size()];
      const std::uint64_t seed = mixed(campaign_.seed, list + 1, number);
      const lower::Recipe* drawn_from = flavour(*drawn.rules, options);
      Random random(seed);
      return run_piece(campaign_, {piece, part, recipe, options, seed, draws(drawn.rules->kind)},
                       [&] { return random_rule(random, *drawn.rules, drawn_from); });
    }
    number -= count;
  }
  throw InternalError("a piece beyond the campaign");
}

}  // namespace quench::campaign
