// Rules through the public headers: parsing, diagnostics with their places, direct semantics.
#include <gtest/gtest.h>
#include <quench/compile.h>
#include <quench/decide.h>
#include <quench/rule.h>
#include <quench/run.h>

#include <fstream>
#include <optional>

#include "support/shell.h"

namespace quench {
namespace {

/// The error that `work` throws.
template <class Work>
RuleError error_of(Work work) {
  try {
    work();
  } catch (const RuleError& error) {
    return error;
  }
  ADD_FAILURE() << "no RuleError";
  return RuleError("", {{}});
}

TEST(Rule, HasATextThatIsTheSameRule) {
  const Rule rule = parse_formula("let p = Q_a ; p S !p");
  EXPECT_FALSE(rule.is_program());
  EXPECT_EQ(parse_rule(rule.text()).text(), rule.text());
  EXPECT_EQ(rule.symbols(), std::vector<std::string>{"a"});
}

TEST(Rule, IsAFormulaOrAProgramByNameOrByItsLooks) {
  const char* program = "out(i) = rightmost j [j < i, Q_a(j)] true : false";
  EXPECT_TRUE(parse_rule(program).is_program());
  EXPECT_TRUE(parse_rule(program, "x.brasp").is_program());
  EXPECT_THROW(parse_rule(program, "x.tl"), RuleError);
  EXPECT_THROW(parse_program("Q_a"), RuleError);
}

TEST(Rule, IsReadFromAFile) {
  const Rule rule = read_rule(test::source_path("examples/formulas/flip_flop.tl"));
  EXPECT_TRUE(evaluate(rule, "w1i0r1").accepted());
  EXPECT_FALSE(evaluate(rule, "w1i0r0").accepted());
  EXPECT_THROW(read_rule("/no/such/file.tl"), IoError);
  EXPECT_THROW(read_rule(test::source_path("examples")), IoError);
}

TEST(Rule, MayBeARegularExpressionOrAnAutomaton) {
  const Rule rule = parse_regex("(ab)*");
  EXPECT_TRUE(rule.is_automaton());
  EXPECT_FALSE(rule.is_program());
  EXPECT_TRUE(evaluate(rule, "abab").accepted());
  EXPECT_FALSE(evaluate(rule, "aab").accepted());
  EXPECT_EQ(parse_rule(rule.text()).text(), rule.text());
  EXPECT_TRUE(parse_rule("(ab)*", "x.regex").is_automaton());
  EXPECT_TRUE(Runner(compile(rule)).accepts("abab"));
  EXPECT_FALSE(Runner(compile(rule)).accepts("aba"));
  EXPECT_EQ(error_of([] { parse_regex("(a"); }).diagnostics.at(0).code, "E303");
  EXPECT_THROW(parse_regex("(a|b)*a(a|b){30}"), UserError);
  const Rule parity = read_rule(test::source_path("examples/automata/parity.dfa"));
  EXPECT_TRUE(evaluate(parity, "aba").accepted());
}

TEST(Decide, SaysWhichTransformersThereAre) {
  const Decision decision = decide(parse_regex("(..)*"));
  EXPECT_EQ(decision.language_class, "quasi-aperiodic");
  EXPECT_EQ(decision.modulus, 2u);
  ASSERT_EQ(decision.architectures.size(), 5u);
  EXPECT_FALSE(decision.architectures[1].possible);
  EXPECT_TRUE(decision.architectures[2].possible);
  EXPECT_EQ(decision.architectures[2].formula, "even\n");
  EXPECT_FALSE(decide(parse_regex("(..)*"), {.networks = false}).architectures[2].certified);
  EXPECT_THROW(decide(parse_formula("#<[Q_a] > #<[Q_b]")), UserError);
}

TEST(Rule, AnEmptyFileIsARuleThatSaysNothing) {
  const test::TemporaryDirectory directory;
  std::ofstream(directory.path() / "empty.tl");
  EXPECT_THROW(read_rule(directory.path() / "empty.tl"), RuleError);
}

TEST(Diagnostics, HavePlacesInLinesAndCharacters) {
  const RuleError error = error_of([] { parse_formula("let é = Q_a\né & )\n"); });
  ASSERT_FALSE(error.diagnostics.empty());
  const Diagnostic& first = error.diagnostics.front();
  EXPECT_EQ(first.line, 2u);
  EXPECT_EQ(first.column, 5u) << "é is one character";
  EXPECT_EQ(first.length, 1u);
  EXPECT_FALSE(first.is_warning());
  EXPECT_FALSE(explain(first.code).empty());
  EXPECT_NE(std::string(error.what()).find("rule:2:5: error " + first.code), std::string::npos) << error.what();
}

TEST(Diagnostics, AreAllThereAtOnce) {
  EXPECT_EQ(error_of([] { parse_formula("p & q"); }).diagnostics.size(), 2u);
  EXPECT_EQ(explain("E999"), "");
}

TEST(Diagnostics, NameTheFile) {
  EXPECT_EQ(std::string(error_of([] { parse_rule("(", "my.tl"); }).what()).find("my.tl:1:"), 0u);
}

TEST(Diagnostics, WarnOfWhatIsHardlyMeant) {
  const std::vector<Diagnostic> warnings = parse_formula("Q_a |\n(Q_b & !Q_b)").warnings();
  ASSERT_FALSE(warnings.empty());
  EXPECT_TRUE(warnings.front().is_warning());
  EXPECT_EQ(warnings.front().line, 2u);
  EXPECT_TRUE(parse_formula("Q_a").warnings().empty());
}

TEST(Evaluate, GivesTheTruthAtEveryPosition) {
  const Rule rule = parse_formula("odd(#<[Q_1])");
  EXPECT_EQ(evaluate(rule, "0110").truth, (std::vector<bool>{false, true, false, false}));
  EXPECT_EQ(evaluate(rule, "0110"), evaluate_symbols(rule, {"0", "1", "1", "0"}));
  EXPECT_EQ(evaluate(rule, "1").length(), 1u);
}

TEST(Evaluate, TakesSymbolsThatTheRuleDoesNotMention) {
  EXPECT_EQ(evaluate(parse_formula("O Q_a"), "xay").truth, (std::vector<bool>{false, true, true}));
  EXPECT_EQ(evaluate_symbols(parse_formula("O Q_a"), {"two words", "", "a"}).truth,
            (std::vector<bool>{false, false, true}));
}

TEST(Evaluate, RefusesTheEmptyWordAndBrokenText) {
  const Rule rule = parse_formula("Q_a");
  EXPECT_THROW(evaluate(rule, ""), UserError);
  EXPECT_THROW(evaluate_symbols(rule, {}), UserError);
  EXPECT_THROW(evaluate(rule, "\xff"), UserError);
}

TEST(Evaluate, AnswersWithNumbersAndSymbolsToo) {
  const Rule count = parse_program("out(i) = psum j [j <= i] Q_a(j)");
  EXPECT_EQ(count.answers(), AnswerKind::numbers);
  EXPECT_EQ(evaluate(count, "aba").numbers, (std::vector<std::int64_t>{1, 1, 2}));
  EXPECT_THROW(evaluate(count, "aba").accepted(), UserError);
  const Rule before = parse_program("alphabet {'a', 'b'}\nout(i) = rightmost j [j < i, true] in(j) : 'b'");
  EXPECT_EQ(before.answers(), AnswerKind::symbols);
  EXPECT_EQ(evaluate(before, "axa").symbols, (std::vector<std::vector<std::string>>{{"b"}, {"a"}, {""}}));
}

TEST(Rule, StaysWholeWhenItIsMovedFrom) {
  Rule first = parse_formula("Q_a");
  const Rule second = std::move(first);
  EXPECT_EQ(first.text(), second.text());
  first = parse_formula("Q_b");
  EXPECT_NE(first.text(), second.text());
}

}  // namespace
}  // namespace quench
