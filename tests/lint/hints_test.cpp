// What hints suggest means something: each formula in one parses, and is neither true nor false of all words.
#include <gtest/gtest.h>

#include "base/text/explain.h"
#include "lint/lint.h"
#include "oracle/evaluate.h"
#include "parse/parse_formula.h"
#include "support/all_words.h"

namespace quench::lint {
namespace {

/// What stands in back quotes, if it is a formula: with a symbol, not a placeholder or an operator.
std::vector<std::string> formulas_in(const std::string& note) {
  std::vector<std::string> found;
  for (std::size_t begin = note.find('`'); begin != std::string::npos;) {
    const std::size_t end = note.find('`', begin + 1);
    if (end == std::string::npos) break;
    const std::string quoted = note.substr(begin + 1, end - begin - 1);
    const bool written_out = quoted.find("…") == std::string::npos && !quoted.starts_with("let ") &&
                             !quoted.starts_with("pred ") && !quoted.starts_with("alphabet ");
    const bool symbol = quoted.find("Q_") != std::string::npos || quoted.starts_with('\'');
    const bool term = quoted.find_first_of("#*") != std::string::npos && quoted.find_first_of("=") == std::string::npos;
    if (written_out && symbol && !term) found.push_back(quoted);
    begin = note.find('`', end + 1);
  }
  return found;
}

void expect_means_something(const std::string& text, const std::string& where) {
  const auto parsed = parse::parse_formula(text);
  ASSERT_TRUE(parsed.formula) << text << " of " << where;
  bool holds = false, fails = false;
  test::for_all_words(parsed.formula->alphabet.size(), true, 5, [&](const Word& word) {
    (oracle::evaluate(*parsed.formula, word).back() ? holds : fails) = true;
  });
  EXPECT_TRUE(holds && fails) << text << " of " << where;
}

TEST(Hints, FormulasInThemParseAndAreNotConstant) {
  int formulas = 0;
  std::vector<std::string> texts{"a", "a & foo", "sinse", "", "// nothing", "let x = Q_a", "a*b*", "(a|b)+", "Q_a*"};
  for (const Explanation& entry : all_explanations())
    if (entry.code.starts_with('E') && entry.code < "E100") texts.emplace_back(entry.wrong);
  for (const std::string& text : texts)
    for (const Diagnostic& one : parse::parse_formula(text).diagnostics)
      for (const std::string& note : one.notes)
        for (const std::string& formula : formulas_in(note)) {
          if (one.code == "E014" || one.code == "E015") continue;  // about names of the text
          expect_means_something(formula, one.code + " of " + text);
          ++formulas;
        }
  EXPECT_GE(formulas, 15);
}

TEST(Hints, WhatIsWrittenInsteadOfAConstantIsNotConstant) {
  int suggested = 0;
  for (const char* text : {"Q_a since Q_b", "(Q_a until Q_b) & Q_c", "Q_a since !Q_a", "(Q_a | Q_c) since Q_b"})
    for (const Diagnostic& warning : lint(*parse::parse_formula(text).formula))
      for (const std::string& note : warning.notes) {
        const std::size_t colon = note.find(": ");
        if (colon == std::string::npos) continue;  // a reason, no formula
        ++suggested;
        const std::string meant = note.substr(colon + 2);
        const auto parsed = parse::parse_formula(meant);
        ASSERT_TRUE(parsed.formula) << meant;
        bool holds = false, fails = false;  // somewhere: U looks to the right
        test::for_all_words(parsed.formula->alphabet.size(), true, 5, [&](const Word& word) {
          for (const std::uint8_t truth : oracle::evaluate(*parsed.formula, word)) (truth ? holds : fails) = true;
        });
        EXPECT_TRUE(holds && fails) << meant;
      }
  EXPECT_EQ(suggested, 3);
}

TEST(Hints, ExplanationsOfUnknownNamesAndMissingResultsAreNotConstant) {
  for (const Explanation& entry : all_explanations())
    if (entry.code == "E013" || entry.code == "E026")
      expect_means_something(std::string(entry.right), std::string(entry.code));
}

}  // namespace
}  // namespace quench::lint
