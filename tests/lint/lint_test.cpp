// Warnings are about rules that are what they say: every constant part that is reported is constant on all short words.
#include "lint/lint.h"
#include "lint/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/explain.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "parse/parse_formula.h"
#include "support/all_words.h"
#include "support/examples.h"

namespace quench::lint {
namespace {

lang::Formula parsed(const std::string& text) { return *parse::parse_formula(text).formula; }

std::vector<std::string> codes(const std::string& text) {
  std::vector<std::string> codes;
  for (const Diagnostic& warning : lint(parsed(text))) codes.push_back(warning.code);
  return codes;
}

using Codes = std::vector<std::string>;

TEST(Lint, FindsRulesThatAreConstant) {
  for (const char* text : {"Q_a since Q_b", "Q_a & Q_b", "!Q_a | !Q_b", "prev (Q_a & Q_b)", "O (Q_a until Q_b)",
                           "#<[Q_a] >= 0", "#<[Q_a] + 1 > 0", "#[Q_a & Q_b] > 0", "(Q_a | !Q_a) W Q_b", "#<[Q_a] < 0"})
    EXPECT_EQ(codes(text), Codes{"W001"}) << text;
}

TEST(Lint, FindsRulesThatAreConstantBecausePartsAreEqual) {
  for (const char* text : {"O Q_a & !O Q_a",
                           "O Q_a -> O Q_a",
                           "H Q_a & O !Q_a",
                           "(Q_a S Q_a) & !Q_a",
                           "#<[Q_a] > #<[Q_a]",
                           "!(O Q_a) <-> H !Q_a",
                           "G Q_a xor !F !Q_a",
                           "N Q_a <-> !next !Q_a",
                           "Z Q_a & prev !Q_a",
                           "Q_a & !O Q_a",
                           "O Q_a & (O Q_b & !O Q_a)",
                           "prev Q_a | (Q_b | !prev Q_a)",
                           "#<[Q_a] + #<[Q_b] = #<[Q_b] + #<[Q_a]",
                           "#<[Q_a] >= 2 & 2 > #<[Q_a]",
                           "#<[O !Q_a] - #<[!H Q_a] != 0",
                           "#<[true] >= 1",
                           "odd(#<[Q_a]) -> odd(#<[Q_a])",
                           "(Q_a R Q_b) <-> !(!Q_a U !Q_b)",
                           "(Q_a since Q_b) -> O Q_b",
                           "H (Q_a & prev Q_b) & !prev Q_b"})
    EXPECT_THAT(codes(text), testing::Contains("W001")) << text;
}

std::vector<std::string> notes(const std::string& text) {
  const auto warnings = constant_parts(parsed(text));
  EXPECT_EQ(warnings.size(), 1u) << text;
  return warnings.empty() ? std::vector<std::string>() : warnings[0].notes;
}

TEST(Lint, GivesAReasonOnlyWhereItIsOne) {
  const std::vector<std::string> none, one_symbol{"every position holds exactly one symbol"};
  for (const char* text : {"H (Q_a -> O Q_b) | true", "Q_a xor Q_a", "Q_a & !Q_a", "O Q_a -> O Q_a", "false since Q_b",
                           "(Q_a & Q_b) | (Q_a & !Q_b) <-> Q_a", "Q_a since (Q_a & Q_b & false)"})
    EXPECT_EQ(notes(text), none) << text;
  for (const char* text : {"Q_a & Q_b", "!Q_a | !Q_b", "O (Q_a & Q_b)", "Q_a U (Q_b & Q_c)", "Q_a -> !Q_b"})
    EXPECT_EQ(notes(text), one_symbol) << text;
  EXPECT_EQ(notes("#<[Q_a] >= 0"), std::vector<std::string>{"a count is never negative"});
  EXPECT_EQ(notes("#<[Q_a] > #<[Q_a]"),
            std::vector<std::string>{"there are no counts left when one side is subtracted from the other"});
  EXPECT_THAT(notes("Q_a since Q_b"), testing::ElementsAre(testing::EndsWith(": Q_a S Q_b")));
  EXPECT_EQ(notes("Q_a since (Q_b & Q_c)"), one_symbol);  // S would be constant, too
}

TEST(Lint, IsLinearInTheRule) {
  std::string chain = "Q_s0", deep = "Q_a";
  for (int k = 1; k < 100'000; ++k) {
    chain += (k % 2 ? " & O Q_s" : " | Q_s") + std::to_string(k % 50);
    deep = "O !" + deep;
  }
  EXPECT_TRUE(constant_parts(parsed(chain)).empty());
  EXPECT_TRUE(constant_parts(parsed(deep)).empty());
}

TEST(Lint, FindsConstantPartsAndPointsAtThem) {
  const auto warnings = lint(parsed("Q_a S (Q_b & Q_c)  | Q_d"));
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].span, (Span{0, 17}));  // with Q_b & Q_c false, the whole S is
}

TEST(Lint, SaysNothingOfRulesThatMeanSomething) {
  for (const char* text : {"Q_a S Q_b", "Z false", "prev true", "H (prev true | Q_w)", "true", "O true", "Q_a xor Q_b",
                           "#<[Q_a] >= #<[Q_b]", "#<[Q_a] >= 1", "odd(#<[Q_a])", "O (Q_a & X Q_b)", "first"})
    EXPECT_EQ(codes(text), Codes{}) << text;
}

TEST(Lint, FindsOperatorsThatHaveNothingToLookAt) {
  for (const char* text :
       {"G (Q_a -> F Q_b)", "X Q_a", "Q_a & F Q_b", "!(Q_a U Q_b)", "Q_a until (Q_a & prev Q_b)", "N Q_a"})
    EXPECT_EQ(codes(text), Codes{"W002"}) << text;
}

TEST(Lint, EveryCodeIsProvokedByItsOwnExample) {
  for (const Explanation& entry : all_explanations()) {
    if (!entry.code.starts_with('W') || entry.code == "W003" || entry.code == "W004") continue;  // about words
    EXPECT_EQ(codes(std::string(entry.wrong)), Codes{std::string(entry.code)});
    EXPECT_EQ(codes(std::string(entry.right)), Codes{}) << entry.right;
  }
}

TEST(Lint, FindsSymbolsOfAWordThatLookMistyped) {
  const Alphabet alphabet({"request", "grant", "A"});
  const auto found = unmentioned_symbols(alphabet, {"grant", "reqest", "other", "Grant", "reqest", "a", "b"});
  std::vector<std::string> symbols, meant;
  std::vector<std::size_t> positions;
  for (const UnmentionedSymbol& one : found) {
    symbols.push_back(one.symbol);
    meant.push_back(one.meant);
    positions.push_back(one.position);
  }
  EXPECT_EQ(symbols, (std::vector<std::string>{"reqest", "other", "Grant", "a", "b"}));
  EXPECT_EQ(meant, (std::vector<std::string>{"request", "", "grant", "A", ""}));
  EXPECT_EQ(positions, (std::vector<std::size_t>{2, 3, 4, 6, 7}));
}

TEST(Lint, TheExamplesAreAsTheirWritersMeantThem) {
  for (const auto& example : test::formula_examples()) {
    const auto parsed = parse::parse_formula(example.text);
    ASSERT_TRUE(parsed.formula) << example.name;
    for (const Diagnostic& warning : constant_parts(*parsed.formula)) ADD_FAILURE() << example.name << warning.message;
  }
}

TEST(Lint, WhatIsReportedAsConstantIsConstant) {
  Random random(20);
  lang::RandomFormulaOptions options;
  options.operators = 6;
  options.fragment = {true, true, true, true, true, true, true, true, true, true};
  int reported = 0;
  for (int k = 0; k < 4000; ++k) {
    const lang::Formula formula = lang::random_formula(random, options);
    const auto warnings = constant_parts(formula);
    if (warnings.empty() || warnings[0].message.find("this rule") == std::string::npos) continue;
    ++reported;
    const bool value = warnings[0].message.find("is true") != std::string::npos;
    test::for_all_words(formula.alphabet.size(), true, 6, [&](const Word& word) {
      for (const std::uint8_t truth : oracle::evaluate(formula, word)) ASSERT_EQ(truth != 0, value);
    });
  }
  EXPECT_GT(reported, 20);
}

}  // namespace
}  // namespace quench::lint
