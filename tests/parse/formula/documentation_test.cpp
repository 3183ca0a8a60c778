// docs/language.md is true: its examples parse and its tables are the tables of the code.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "base/text/explain.h"
#include "lang/operators.h"
#include "lang/same_formula.h"
#include "parse/parse_text.h"
#include "parse/text/spellings.h"
#include "support/paths.h"

namespace quench {
namespace {

using testing::HasSubstr;

std::string document() {
  std::ifstream file(test::source_path("docs/language.md"));
  std::stringstream content;
  content << file.rdbuf();
  return content.str();
}

std::vector<std::string> code_blocks(const std::string& text) {
  const std::string opening = "```quench\n";
  std::vector<std::string> blocks;
  for (std::size_t at = text.find(opening); at != std::string::npos; at = text.find(opening, at)) {
    at += opening.size();
    blocks.push_back(text.substr(at, text.find("```", at) - at));
  }
  return blocks;
}

std::string cell(std::string_view spelling) {
  return spelling.empty() ? "–" : spelling == "|" ? "`\\|`" : fmt::format("`{}`", spelling);
}

TEST(LanguageReference, EveryExampleParses) {
  const std::vector<std::string> blocks = code_blocks(document());
  EXPECT_GE(blocks.size(), 10u);
  for (const std::string& block : blocks) parse_text(block);
}

TEST(LanguageReference, TheTwoLinesOfThePrecedenceExampleSayTheSame) {
  const std::vector<std::string> blocks = code_blocks(document());
  EXPECT_TRUE(same_formula(parse_text(blocks[blocks.size() - 2]), parse_text(blocks.back())));
}

TEST(LanguageReference, TablesAreThoseOfTheCode) {
  const std::string text = document();
  for (const lang::OperatorFacts& row : lang::all_operators())
    EXPECT_THAT(text, HasSubstr(fmt::format("| {} | {} | {} | {} |\n", cell(row.symbol), cell(row.word),
                                            cell(row.unicode), row.meaning)));
  for (const lang::PredicateFacts& row : lang::all_predicates()) {
    const std::string name = row.kind == Predicate::Kind::mod ? "mod(m,r)" : std::string(row.name);
    EXPECT_THAT(text, HasSubstr(fmt::format("| `{}` | {} |\n", name, row.meaning)));
  }
}

TEST(LanguageReference, TheExplanationOfReservedWordsListsThemAll) {
  const std::string text = fmt::format(" {} ", explain("E016")->text);
  for (const std::string_view word : parse::reserved_words()) EXPECT_THAT(text, HasSubstr(fmt::format(" {} ", word)));
}

}  // namespace
}  // namespace quench
