// The names that a model file has for coordinates and heads: those of the rule, whole, each for one coordinate.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>

#include "driver/compile.h"
#include "parse/parse_text.h"
#include "support/examples.h"

namespace quench {
namespace {

using ::testing::Contains;

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

/// A name may be cut only where rules are so deep that all names together would be quadratic.
TEST(ModelNames, OfDeepRulesStaySmallTogether) {
  std::string deep = "Q_a";
  for (int k = 0; k < 3000; ++k) deep = "prev !" + deep;
  std::size_t total = 0;
  for (const std::string& name : coordinates(driver::compile(parse_text(deep)).model)) total += name.size();
  EXPECT_LT(total, 3000u * 2 * 1100);
}

const std::regex kNumbered("v[0-9]+( .*)?");

TEST(ModelNames, EachMeansOneCoordinateAndNoneIsANumber) {
  const auto look = [](const model::Transformer& model, const std::string& rule) {
    std::set<std::string> seen;
    for (const std::string& name : coordinates(model)) {
      EXPECT_TRUE(seen.insert(name).second) << name << " of " << rule;
      EXPECT_FALSE(std::regex_match(name, kNumbered)) << name << " of " << rule;
      EXPECT_FALSE(name.empty()) << rule;
    }
  };
  for (const char* folder : {"examples/formulas", "examples/programs"})
    for (const auto& entry : std::filesystem::directory_iterator(test::source_path(folder)))
      look(driver::compile(driver::parse_rule(test::read_text(entry.path()), entry.path().string())).model,
           entry.path().filename());
}

}  // namespace
}  // namespace quench
