// The names that a model file has for coordinates and heads: those of the rule, whole, each for one coordinate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "base/text/diagnostic.h"
#include "driver/compile.h"
#include "parse/parse_text.h"
#include "support/examples.h"

namespace quench {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> coordinates(const model::Transformer& model) {
  std::vector<std::string> names;
  for (const model::Tenant& tenant : model.tenants) names.push_back(tenant.name);
  return names;
}

std::vector<std::string> heads(const model::Transformer& model) {
  std::vector<std::string> names;
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads) names.push_back(head.name);
  return names;
}

TEST(ModelNames, AreTheNamesOfTheRule) {
  const model::Transformer model = driver::compile(parse_text("let write_1 = Q_w1\n"
                                                              "let stored_1 = !Q_w0 S write_1\n"
                                                              "let good = !Q_r | stored_1\n"
                                                              "let balance = #<[Q_w0] - #<[Q_w1]\n"
                                                              "H good & balance >= 0"))
                                       .model;
  EXPECT_THAT(coordinates(model), Contains("write_1"));
  EXPECT_THAT(coordinates(model), Contains("stored_1, attended"));
  EXPECT_THAT(coordinates(model), Contains("!(good)"));
  EXPECT_THAT(coordinates(model), Contains("mean in balance >= 0"));
  EXPECT_THAT(heads(model), Contains("stored_1"));
  EXPECT_THAT(heads(model), Contains("!(H good)"));
}

TEST(ModelNames, OfSymbolTestsAreTheRulesToo) {
  const model::Transformer model = driver::compile(parse_text("let write = Q_w0 | Q_w1\nH (write | prev write)")).model;
  EXPECT_THAT(coordinates(model), Contains("write"));
}

TEST(ModelNames, AreWhole) {
  const std::string long_one = "Q_a S Q_b S Q_a S Q_b S Q_a S Q_b S Q_a S Q_b S Q_a S Q_b S Q_a S Q_b S Q_c";
  EXPECT_THAT(heads(driver::compile(parse_text(long_one)).model), Contains(long_one));
}

/// Written out, all names together would be quadratic: long parts have a name of their own, which the source tells.
TEST(ModelNames, OfDeepRulesAreWholeAndStaySmallTogether) {
  std::string deep = "Q_a";
  for (int k = 0; k < 3000; ++k) deep = "prev !" + deep;
  const model::Transformer model = driver::compile(parse_text(deep)).model;
  std::size_t total = 0;
  for (const std::string& name : coordinates(model)) {
    EXPECT_THAT(name, Not(HasSubstr("…")));
    total += name.size();
  }
  EXPECT_LT(total, 3000u * 2 * 1100);
  EXPECT_THAT(coordinates(model), Contains("f1, attended"));
  EXPECT_THAT(model.source, HasSubstr("let f1 = "));
  EXPECT_LT(model.source.size(), 2 * deep.size());
}

const std::regex kNumbered("v[0-9]+( .*)?");

void look(const model::Transformer& model, const std::string& rule) {
  std::set<std::string> seen;
  for (const std::string& name : coordinates(model)) {
    EXPECT_TRUE(seen.insert(name).second) << name << " of " << rule;
    EXPECT_FALSE(std::regex_match(name, kNumbered)) << name << " of " << rule;
    EXPECT_FALSE(name.empty()) << rule;
    EXPECT_THAT(name, Not(HasSubstr("…"))) << rule;
  }
  for (const std::string& name : heads(model)) EXPECT_THAT(name, Not(HasSubstr("…"))) << rule;
}

TEST(ModelNames, AreWholeAndEachMeansOneCoordinateAndNoneIsANumber) {
  int models = 0;
  for (const char* folder : {"examples/formulas", "examples/programs", "examples/automata"})
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path(folder)))
      for (const char* recipe : {"auto", "paper", "exact"}) {
        if (!entry.is_regular_file() || entry.path().extension() == ".md") continue;
        lower::RecipeOptions options;
        options.recipe = recipe;
        const lang::Rule rule = driver::parse_rule(test::read_text(entry.path()), entry.path().string());
        try {
          look(driver::compile(rule, options).model, entry.path().filename().string() + " by " + recipe);
          ++models;
        } catch (const DiagnosticError&) {
          EXPECT_STRNE(recipe, "auto") << entry.path();  // the others do not go with every rule
        }
      }
  EXPECT_GT(models, 150);
}

}  // namespace
}  // namespace quench
