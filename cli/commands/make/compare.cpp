// quench compare: one rule by all the recipes that cover it, in one table.
#include "cli/commands/make/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "certified/compare_recipes.h"
#include "certify/certificate.h"
#include "cli/arguments/number_formats.h"
#include "cli/arguments/recipes.h"
#include "cli/arguments/source.h"
#include "cli/command.h"
#include "cli/output/terminal.h"
#include "driver/listing.h"

namespace quench::cli {
namespace {

struct CompareCommand {
  SourceArguments source;
  std::vector<std::string> recipes;
  FormatsArgument dtypes;
  bool json = false;
};

std::string to_json(const certified::RecipeComparison& comparison, const std::vector<NumberFormat>& formats) {
  nlohmann::ordered_json json{{"recipes", nlohmann::ordered_json::array()},
                              {"uncovered", nlohmann::ordered_json::array()}};
  for (const certified::RecipeRow& row : comparison.rows) {
    nlohmann::ordered_json certified = nlohmann::ordered_json::object();
    for (std::size_t f = 0; f < formats.size(); ++f)
      certified[std::string(to_string(formats[f]))] = row.lengths[f] == certify::kLongest
                                                          ? nlohmann::ordered_json(nullptr)
                                                          : nlohmann::ordered_json(row.lengths[f]);
    json["recipes"].push_back({{"recipe", row.recipe},
                               {"theorem", row.theorem},
                               {"layers", row.layers},
                               {"heads", row.heads},
                               {"width", row.width},
                               {"parameters", row.parameters},
                               {"temperature", row.temperatures},
                               {"position_encodings", row.position_encodings},
                               {"certified", certified}});
  }
  for (const certified::Uncovered& one : comparison.uncovered)
    json["uncovered"].push_back({{"recipe", one.recipe}, {"reason", one.reason}});
  return json.dump() + "\n";
}

driver::Listing listing_of(const certified::RecipeComparison& comparison, const std::vector<NumberFormat>& formats) {
  driver::Table covered{"recipes that cover the rule, and the lengths certified in any engine",
                        {"recipe", "layers", "heads", "width", "parameters"},
                        {}};
  for (const NumberFormat format : formats) covered.columns.emplace_back(to_string(format));
  covered.columns.insert(covered.columns.end(), {"temperature", "position encodings"});
  for (const certified::RecipeRow& row : comparison.rows) {
    std::vector<std::string> cells{row.recipe};
    for (const std::size_t size : {row.layers, row.heads, row.width, row.parameters})
      cells.push_back(fmt::format("{}", size));
    for (const std::uint64_t length : row.lengths)
      cells.push_back(length == certify::kLongest ? "any length" : fmt::format("{}", length));
    cells.insert(cells.end(), {listed(row.temperatures), listed(row.position_encodings)});
    covered.rows.push_back(std::move(cells));
  }
  driver::Listing listing{"compare", {}, {}, {}};
  if (!covered.rows.empty()) listing.tables.push_back(std::move(covered));
  if (comparison.uncovered.empty()) return listing;
  driver::Table others{"recipes that do not", {"recipe", "reason"}, {}};
  for (const certified::Uncovered& one : comparison.uncovered) others.rows.push_back({one.recipe, one.reason});
  listing.tables.push_back(std::move(others));
  return listing;
}

void run(CompareCommand& command) {
  const Source source = command.source.take_source();
  const lang::Rule rule = source.rule();
  const std::vector<std::string> recipes = command.recipes.empty() ? certified::recipes_for(rule) : command.recipes;
  const std::vector<NumberFormat> formats = command.dtypes.formats();
  const certified::RecipeComparison comparison =
      source.diagnose([&] { return certified::compare_recipes(rule, recipes, formats, source.limits); });
  print(command.json ? to_json(comparison, formats)
                     : driver::to_text(listing_of(comparison, formats), columns_of_output(kUnlimited)));
  if (comparison.rows.empty()) throw NegativeFinding();
}

}  // namespace

void add_compare(App& program) {
  App* app = program.add_subcommand("compare", "Compile a rule by every recipe that covers it, and compare");
  auto command = std::make_shared<CompareCommand>();
  command->source.add_to(*app, "SOURCE", "");
  app->add_option("--recipes", command->recipes, "These recipes, such as tight,22a; default all")
      ->check(recipe_name())
      ->delimiter(',')
      ->expected(1, -1)
      ->take_all()
      ->allow_extra_args(false)
      ->type_name("LIST");
  command->dtypes.add_to(*app);
  app->add_flag("--json", command->json, "One JSON object");
  app->describe_json(
      "`{\"recipes\":[{\"recipe\",\"theorem\",\"layers\",\"heads\",\"width\",\"parameters\",\"temperature\":[…],"
      "\"position_encodings\":[…],\"certified\":{\"f32\":N,…}}…],\"uncovered\":[{\"recipe\",\"reason\"}…]}`, the "
      "lengths those "
      "of any engine; a length of null is no limit.");
  app->callback([command] { run(*command); });
}

}  // namespace quench::cli
