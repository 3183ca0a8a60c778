// Warnings about whole rules, those included that need the rule's automaton: what is called constant is constant.
#include "driver/lint_rule.h"

#include <gtest/gtest.h>

#include "driver/compile.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "support/all_words.h"
#include "support/examples.h"

namespace quench {
namespace {

std::vector<std::string> codes(const std::string& text) {
  std::vector<std::string> codes;
  for (const Diagnostic& warning : driver::lint_rule(driver::parse_rule(text, "rule.tl")))
    codes.push_back(warning.code);
  return codes;
}

using Codes = std::vector<std::string>;

TEST(LintRule, AsksTheAutomatonOfSmallRules) {
  for (const char* text :
       {"O (Q_a & prev Q_b) & H !Q_b", "H (Q_a -> prev Q_a) & O Q_a", "mod(2,1)(#<[Q_a]) & mod(4,2)(#<[Q_a])",
        "O Q_a | H !Q_a & Z true", "#<[Q_a] >= 3 -> #<[Q_a] >= 2", "first | prev true", "alphabet {a, b}; Q_a | Q_b"})
    EXPECT_EQ(codes(text), Codes{"W001"}) << text;
}

TEST(LintRule, SaysNothingOfRulesThatMeanSomething) {
  for (const char* text : {"Q_a | Q_b", "O (Q_a & prev Q_b)", "true", "prev true | !prev true", "odd(#<[Q_a])",
                           "#<[Q_a] >= #<[Q_b]", "alphabet {a, b}; H (Q_a -> prev Q_b)"})
    EXPECT_EQ(codes(text), Codes{}) << text;
  for (const auto& example : test::formula_examples())
    for (const Diagnostic& warning : driver::lint_rule(driver::parse_rule(example.text, "x.tl")))
      EXPECT_NE(warning.code, "W001") << example.name << ": " << warning.message;
}

TEST(LintRule, GivesUpOnRulesWithLargeAutomata) {
  std::string far = "Q_a", both = "true";
  for (int k = 0; k < 20; ++k) far = "prev " + far;
  for (int k = 2; k < 20; ++k) both += " & !mod(" + std::to_string(k) + ",1)(#<[Q_a])";
  EXPECT_EQ(codes(far), Codes{});
  EXPECT_EQ(codes(both + " & false"), Codes{"W001"});
  EXPECT_EQ(codes(both), Codes{});
}

TEST(LintRule, WhatIsCalledConstantIsConstant) {
  Random random(14);
  int reported = 0, by_automaton = 0;
  for (int k = 0; k < 2000; ++k) {
    lang::RandomFormulaOptions options;
    options.operators = 4 + k % 8;
    options.fragment = {true, true, true, true, k % 2 == 0, k % 3 == 0, k % 3 == 0, true, true, true};
    const lang::Formula formula = lang::random_formula(random, options);
    for (const Diagnostic& warning : driver::lint_rule(formula)) {
      const bool everywhere =
          warning.message.starts_with("this rule is") && warning.message.ends_with("every position of every word");
      const bool at_the_end = warning.message.find("at the end of every word") != std::string::npos;
      if (!everywhere && !at_the_end) continue;
      ++reported;
      by_automaton += at_the_end;
      const bool value = warning.message.find("is true") != std::string::npos;
      test::for_all_words(formula.alphabet.size(), !formula.closed, 6, [&](const Word& word) {
        const std::vector<std::uint8_t> truths = oracle::evaluate(formula, word);
        for (std::size_t i = at_the_end ? word.size() - 1 : 0; i < word.size(); ++i)
          ASSERT_EQ(truths[i] != 0, value) << warning.message;
      });
    }
  }
  EXPECT_GT(reported, 100);
  EXPECT_GT(by_automaton, 10);
}

}  // namespace
}  // namespace quench
