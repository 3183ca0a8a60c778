#include "oracle/evaluate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "lang/operators.h"
#include "lang/random_formula.h"
#include "oracle/brute_force.h"
#include "parse/parse_text.h"

namespace quench {
namespace {

/// Agreement with the literal definitions on all words up to a length, unmentioned symbols included.
void expect_literal(const lang::Formula& formula, std::size_t longest = 5) {
  for_each_word(static_cast<int>(formula.alphabet.size()), true, longest, [&](const Word& word) {
    const BruteForce brute_force(formula, word);
    const std::vector<std::uint8_t> values = oracle::evaluate(formula, word);
    ASSERT_EQ(values.size(), word.size());
    for (std::size_t i = 1; i <= word.size(); ++i)
      ASSERT_EQ(values[i - 1] != 0, brute_force.sat(static_cast<int>(i), formula.root))
          << lang::print(formula) << formula.alphabet.print(word) << " at " << i;
  });
}

/// Equal truth values at every position of all words over a, b, c.
void expect_equivalent(const std::string& left, const std::string& right) {
  const lang::Formula formula = parse_text(fmt::format("({}) <-> ({})", left, right));
  for_each_word(static_cast<int>(formula.alphabet.size()), true, 6, [&](const Word& word) {
    for (const std::uint8_t value : oracle::evaluate(formula, word))
      ASSERT_TRUE(value) << left << " is not " << right << " on " << formula.alphabet.print(word);
  });
}

std::string values(const std::string& text, const std::string& word) {
  const lang::Formula formula = parse_text(text);
  std::string result;
  for (const std::uint8_t value : oracle::evaluate(formula, formula.alphabet.parse(word))) result += value ? '1' : '0';
  return result;
}

TEST(Oracle, EveryOperatorIsItsDefinition) {
  for (const lang::OperatorFacts& row : lang::all_operators()) {
    SCOPED_TRACE(row.symbol);
    expect_literal(
        parse_text(row.arity == 1 ? fmt::format("{} Q_a", row.symbol) : fmt::format("Q_a {} Q_b", row.symbol)));
    // Arguments that can hold together, or nowhere.
    if (row.arity == 2) expect_literal(parse_text(fmt::format("!Q_a {} prev !Q_b", row.symbol)));
    if (row.arity == 2) expect_literal(parse_text(fmt::format("(Q_a | Q_b) {} Q_b", row.symbol)));
  }
}

TEST(Oracle, EveryRelationAndScopeIsItsDefinition) {
  for (const lang::RelationFacts& relation : lang::all_relations())
    for (const lang::ScopeFacts& scope : lang::all_scopes()) {
      expect_literal(parse_text(fmt::format("{0}[Q_a] {1} {0}[Q_b]", scope.symbol, relation.symbol)));
      expect_literal(parse_text(fmt::format("2*{0}[Q_a] - 3*#<[Q_b] + 1 {1} -#>[Q_a]", scope.symbol, relation.symbol)));
      expect_literal(parse_text(fmt::format("{0}[Q_a] {1} 2", scope.symbol, relation.symbol)));
    }
}

TEST(Oracle, EveryPredicateIsItsDefinition) {
  for (const lang::PredicateFacts& row : lang::all_predicates()) {
    const std::string name = row.kind == Predicate::Kind::mod ? "mod(3,2)" : std::string(row.name);
    expect_literal(parse_text(fmt::format("{} & (Q_a | true)", name)), 7);
    for (const lang::ScopeFacts& scope : lang::all_scopes())
      expect_literal(parse_text(fmt::format("{}({}[Q_a])", name, scope.symbol)), 7);
  }
}

TEST(Oracle, RandomFormulasAreTheirDefinition) {
  Random random(17);
  lang::RandomFormulaOptions options;
  options.fragment = {.previous = true,
                      .next = true,
                      .since = true,
                      .until = true,
                      .count_left = true,
                      .count_right = true,
                      .count_all = true,
                      .position_predicate = true,
                      .count_predicate = true,
                      .length_predicate = true};
  for (int round = 0; round < 300; ++round) {
    options.operators = 1 + static_cast<int>(random.below(6));
    expect_literal(lang::random_formula(random, options), 4);
    ASSERT_FALSE(HasFatalFailure());
  }
}

TEST(Oracle, DerivedOperatorsAreTheirRewritings) {
  // theory: standard operators from the paper's, and back
  expect_equivalent("Q_a S Q_b", "(Q_a | Q_b) since Q_b");
  expect_equivalent("Q_a U Q_b", "(Q_a | Q_b) until Q_b");
  expect_equivalent("Q_a since !Q_b", "Q_a S (Q_a & !Q_b)");
  expect_equivalent("Q_a until !Q_b", "Q_a U (Q_a & !Q_b)");
  expect_equivalent("prev (Q_a S Q_b)", "prev ((Q_a | Q_b) since Q_b)");
  expect_equivalent("O Q_a", "true since Q_a");
  expect_equivalent("H Q_a", "!(true since !Q_a)");
  expect_equivalent("F Q_a", "true until Q_a");
  expect_equivalent("G Q_a", "!(true until !Q_a)");
  expect_equivalent("Q_a W Q_b", "(Q_a U Q_b) | G Q_a");
  expect_equivalent("Q_a R Q_b", "!(!Q_a U !Q_b)");
  expect_equivalent("Z Q_a", "!prev !Q_a");
  expect_equivalent("N Q_a", "!next !Q_a");
  expect_equivalent("Z false", "first");
  expect_equivalent("N false", "last");
  expect_equivalent("#[Q_a] >= 2", "#<[Q_a] + #>[Q_a] >= 3 & Q_a | #<[Q_a] + #>[Q_a] >= 2 & !Q_a");
  expect_equivalent("#<[Q_a] >= 1", "O Q_a");
  expect_equivalent("#>[Q_a] = 0", "!F Q_a");
}

TEST(Oracle, EdgesOfTheWord) {
  EXPECT_EQ(values("prev true", "ab"), "01");
  EXPECT_EQ(values("next true", "ab"), "10");
  EXPECT_EQ(values("!prev Q_a", "a"), "1");
  EXPECT_EQ(values("prev !Q_a", "a"), "0");
  EXPECT_EQ(values("Q_a since Q_a", "a"), "1");
  EXPECT_EQ(values("even(#<[Q_b])", "aab"), "110");
  EXPECT_EQ(values("last & first", "a"), "1");
}

TEST(Oracle, UnmentionedSymbolsSatisfyNothing) {
  EXPECT_EQ(values("Q_a | Q_b", "axb"), "101");
  EXPECT_EQ(values("!Q_a & !Q_b", "axb"), "010");
}

TEST(Oracle, RefusesTheEmptyWord) {
  const lang::Formula formula = parse_text("Q_a");
  EXPECT_THROW(oracle::evaluate(formula, {}), UserError);
}

TEST(Oracle, ComparisonsDoNotOverflow) {
  EXPECT_EQ(values("9223372036854775807*#<[Q_a] + 9223372036854775807 >= 0", "aaa"), "111");
  EXPECT_EQ(values("-9223372036854775808*#<[Q_a] - 9223372036854775808 < 0", "aaa"), "111");
  EXPECT_EQ(values("9223372036854775807*#<[Q_a] > 9223372036854775807*#>[Q_a]", "aaa"), "001");
}

TEST(Oracle, AllValuesOfTheNodesTheRootNeeds) {
  lang::Formula formula = parse_text("prev Q_a");
  const lang::FormulaId unneeded = formula.add(lang::Unary{lang::Operator::next, formula.root});
  const auto all = oracle::evaluate_all(formula, formula.alphabet.parse("aab"));
  ASSERT_EQ(all.size(), 3u);
  EXPECT_TRUE(all[unneeded.index].empty());
  EXPECT_EQ(all[0], (std::vector<std::uint8_t>{1, 1, 0}));
  EXPECT_EQ(all[formula.root.index], (std::vector<std::uint8_t>{0, 1, 1}));
}

TEST(Oracle, LargeFormulasOnLongWordsFitInMemory) {
  Random random(8);
  lang::RandomFormulaOptions options;
  options.fragment = {.previous = true, .since = true, .count_left = true};
  options.operators = 10'000;
  const lang::Formula formula = lang::random_formula(random, options);
  EXPECT_EQ(oracle::evaluate(formula, random_word(random, 2, false, 2000)).size(), 2000u);
}

}  // namespace
}  // namespace quench
