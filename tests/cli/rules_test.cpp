// What a person asks about a rule at the terminal: its recipes, its words, its symbols.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/shell.h"

namespace quench {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

class Rules : public ::testing::Test {
 protected:
  test::Finished run(const std::string& arguments) { return test::shell("quench " + arguments, directory_.path()); }
  json run_json(const std::string& arguments) {
    const test::Finished finished = run(arguments);
    EXPECT_EQ(finished.exit_code, 0) << arguments << "\n" << finished.err;
    return finished.exit_code == 0 ? json::parse(finished.out) : json();
  }

  test::TemporaryDirectory directory_;
};

TEST_F(Rules, CompareSaysOfEveryRecipeWhatCompileSays) {
  const json comparison = run_json("compare -e 'O Q_a' --json");
  std::vector<std::string> covered;
  for (const json& row : comparison["recipes"]) {
    covered.push_back(row["recipe"]);
    const json summary = run_json("compile -e 'O Q_a' --certify --json --recipe " + covered.back());
    for (const char* field : {"recipe", "layers", "heads", "width", "parameters", "position_encodings", "certified"})
      EXPECT_EQ(row[field], summary[field]) << covered.back() << " " << field;
    EXPECT_EQ(row["temperature"][0], summary["temperature"][0]);
  }
  EXPECT_EQ(covered, (std::vector<std::string>{"tight", "tight-position", "tight-decoder", "15a", "15b", "16a", "16b",
                                               "17a", "17b", "18a", "18b", "22a", "22b", "23"}));
  EXPECT_EQ(comparison["uncovered"].size(), 7u);
  EXPECT_EQ(comparison["uncovered"][0], json({{"recipe", "12a"}, {"reason", "recipe 12a does not cover 'O Q_a'"}}));
}

TEST_F(Rules, CompareIsOneTableOfTheRecipesAskedFor) {
  const test::Finished finished = run("compare -e 'O Q_a' --recipes 16a,13a --dtype f32,f64");
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ(finished.out,
            "recipes that cover the rule, and the lengths certified in any engine\n"
            "  recipe  layers  heads  width  parameters  f32   f64       temperature  position encodings\n"
            "  16a     1       1      5      57          1603  37174065  1/i^2        1/i\n"
            "\n"
            "recipes that do not\n"
            "  recipe  reason\n"
            "  13a     recipe 13a does not cover 'O Q_a'\n");
  EXPECT_EQ(run("compare -e 'O Q_a' --recipes 13a").exit_code, 1);
  EXPECT_EQ(run("compare -e 'O Q_a' --recipes 99").exit_code, 2);
  EXPECT_EQ(run_json("compare examples/programs/reverse.srasp --dtype f64 --json")["recipes"][0]["recipe"], "srasp");
}

}  // namespace
}  // namespace quench
