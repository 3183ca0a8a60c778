// Nesting of any depth goes through parser, printer, oracle and destructor: nothing recurses.
#include <gtest/gtest.h>

#include "lang/same_formula.h"
#include "oracle/evaluate.h"
#include "parse/parse_text.h"

namespace quench {
namespace {

constexpr int kDepth = 100'000;

std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

/// Parses, prints, parses again, compares, and evaluates on a word.
std::vector<std::uint8_t> through_everything(const std::string& text) {
  const lang::Formula formula = parse_text(text);
  const std::string printed = lang::print(formula);
  EXPECT_LT(printed.size(), 4 * text.size() + 1000);
  EXPECT_TRUE(same_formula(formula, parse_text(printed)));
  EXPECT_FALSE(lang::print_node(formula, formula.root).empty());
  EXPECT_FALSE(lang::print_latex(formula).empty());
  EXPECT_FALSE(lang::print_dot(formula).empty());
  EXPECT_FALSE(lang::print_json(formula).empty());
  return oracle::evaluate(formula, formula.alphabet.parse("ab"));
}

using Values = std::vector<std::uint8_t>;

TEST(Depth, Parentheses) {
  EXPECT_EQ(through_everything(repeated("(", kDepth) + "Q_a" + repeated(")", kDepth)), (Values{1, 0}));
}
TEST(Depth, Negations) { EXPECT_EQ(through_everything(repeated("!", kDepth) + "Q_a"), (Values{1, 0})); }
TEST(Depth, WordOperators) { EXPECT_EQ(through_everything(repeated("prev O ", kDepth) + "Q_a"), (Values{0, 0})); }
TEST(Depth, LeftAssociativeChain) {
  EXPECT_EQ(through_everything("Q_a" + repeated(" & Q_b | Q_a", kDepth)), (Values{1, 0}));
}
TEST(Depth, RightAssociativeChains) {
  EXPECT_EQ(through_everything(repeated("Q_a since Q_b S ", kDepth) + "Q_b"), (Values{0, 0}));
  EXPECT_EQ(through_everything(repeated("Q_a -> ", kDepth) + "Q_b"), (Values{0, 1}));
}
TEST(Depth, LeftNestedByParentheses) {
  EXPECT_EQ(through_everything(repeated("(", kDepth) + "Q_a" + repeated(" S Q_b)", kDepth)), (Values{0, 1}));
}
TEST(Depth, NestedCounts) {
  EXPECT_EQ(through_everything(repeated("#<[", kDepth) + "Q_a" + repeated("] >= 1", kDepth)), (Values{1, 1}));
}
TEST(Depth, NestedPredicatesOfCounts) {
  EXPECT_EQ(through_everything(repeated("odd(#<[", kDepth) + "Q_b" + repeated("])", kDepth)), (Values{0, 1}));
}
TEST(Depth, LongAndDeepSums) {
  EXPECT_EQ(through_everything(repeated("-(1 - ", kDepth) + "#<[Q_a]" + repeated(")", kDepth) + " >= 1 - 100000"),
            (Values{1, 1}));
  EXPECT_EQ(through_everything(repeated("(", kDepth) + "#<[Q_a]" + repeated(" + #>[Q_b])", kDepth) + " >= 100000"),
            (Values{1, 1}));
  EXPECT_EQ(through_everything(repeated("1*(", kDepth) + "#<[Q_a]" + repeated(")", kDepth) + " >= 1"), (Values{1, 1}));
}
TEST(Depth, PredicateDefinitions) {
  EXPECT_EQ(through_everything("pred p(x) = " + repeated("(1 + ", kDepth) + "x" + repeated(")", kDepth) +
                               " = 100001\np | Q_a & false"),
            (Values{1, 0}));
  EXPECT_EQ(through_everything("pred p(x) = " + repeated("not ", kDepth) + "x = 2 and x" + repeated(" - -1", kDepth) +
                               " > 0\np & true"),
            (Values{0, 1}));
}
TEST(Depth, ChainsOfLets) {
  std::string text = "let x0 = Q_a\n";
  for (int k = 1; k <= kDepth; ++k)
    text += "let x" + std::to_string(k) + " = x" + std::to_string(k - 1) + " xor prev x" + std::to_string(k - 1) + "\n";
  EXPECT_EQ(through_everything(text + "x100000").size(), 2u);
}

TEST(Depth, BrokenNestingEndsInADiagnostic) {
  for (const char* opener : {"(", "#<[", "odd(", "!", "foo(", "Q_a ->", "let x = (", "-", "{", "["})
    EXPECT_FALSE(parse::parse_formula(repeated(opener, kDepth)).diagnostics.empty()) << opener;
  for (const char* closer : {")", "]", "}", "Q_a ", "&", ";)", "\n)", "'", "Q_ "})
    EXPECT_FALSE(parse::parse_formula(repeated(closer, kDepth)).diagnostics.empty()) << closer;
}

}  // namespace
}  // namespace quench
