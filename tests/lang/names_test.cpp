// Names that a text gives by `let` stay with what they name.
#include <gtest/gtest.h>

#include "base/number/random.h"
#include "lang/canonical.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "lang/same_formula.h"
#include "parse/parse_text.h"

namespace quench::lang {
namespace {

TEST(Names, ArePrinted) {
  EXPECT_EQ(reprint("let x = Q_a & Q_b; let y = x S Q_c; !y | x"), "let x = Q_a & Q_b\nlet y = x S Q_c\n!y | x");
  EXPECT_EQ(reprint("let x = Q_a; x"), "let x = Q_a\nx");
  EXPECT_EQ(reprint("let t = #<[Q_a] - #>[Q_b]; t >= 0 & H (t = 2)"), "let t = #<[Q_a] - #>[Q_b]\nt >= 0 & H (t = 2)");
}

TEST(Names, OfWhatTheRuleDoesNotUseAreForgotten) {
  EXPECT_EQ(reprint("let x = Q_a; let y = Q_b; let t = #[Q_a]; y"), "let y = Q_b\ny");
  EXPECT_EQ(reprint("let t = #[Q_a]; t + 1 > 0"), "#[Q_a] + 1 > 0");
  EXPECT_EQ(reprint("let k = 3; #[Q_a] > k"), "#[Q_a] > 3");  // a number needs none
}

TEST(Names, TheFirstOfTwoStays) { EXPECT_EQ(reprint("let x = Q_a; let y = Q_a; y & Q_b"), "let x = Q_a\nx & Q_b"); }

TEST(Names, OfNodesStandInTheTextOfOthers) {
  const Formula formula = parse_text("let x = Q_a S Q_b; H (x | Q_c)");
  EXPECT_EQ(print_node(formula, formula.root), "H (x | Q_c)");
  EXPECT_EQ(print_latex(formula),
            "\\begin{aligned}\n\\mathit{x} &= Q_{\\texttt{a}} \\mathbin{\\mathsf{S}} Q_{\\texttt{b}} \\\\\n"
            "\\varphi &= \\mathsf{H} (\\mathit{x} \\vee Q_{\\texttt{c}})\n\\end{aligned}\n");
}

/// Whatever is named: the same nodes, with the same numbers, and the same names after another round.
TEST(Names, ChangeNothingElse) {
  Random random(7);
  RandomFormulaOptions options;
  options.fragment = {.previous = true, .since = true, .until = true, .count_left = true, .count_right = true};
  options.operators = 12;
  options.symbols = 2;
  for (int round = 0; round < 500; ++round) {
    const Formula plain = canonical(random_formula(random, options));
    Formula named = plain;
    for (std::size_t k = 0; k < named.size(); ++k)
      if (random.chance(0.3)) named.names.give(FormulaId(k), "name_" + std::to_string(k));
    for (std::uint32_t k = 0; k < 3; ++k)
      for (std::size_t n = 0; n < named.size(); ++n)
        if (const auto* comparison = std::get_if<Comparison>(&named[FormulaId(n)]);
            comparison && !named[comparison->left].parts.empty() && random.chance(0.3))
          named.names.give(comparison->left, "term_" + std::to_string(comparison->left.index));
    const std::string text = print(named);
    const Formula again = parse_text(text);
    ASSERT_TRUE(same_formula(plain, again)) << text;
    ASSERT_EQ(print(again), text);
    Formula stripped = again;
    stripped.names = {};
    ASSERT_EQ(print(stripped), print(plain)) << text;
  }
}

/// A name does not keep a rule from being written in a length that fits its size.
TEST(Names, DoNotBlowUpTheText) {
  std::string text = "let x0 = Q_a S Q_b\n";
  for (int k = 1; k < 200; ++k)
    text +=
        "let x" + std::to_string(k) + " = x" + std::to_string(k - 1) + " S Q_a & prev x" + std::to_string(k - 1) + "\n";
  text += "x199\n";
  EXPECT_EQ(print(parse_text(text)), text);
  // The same with one name: the others get names of their own.
  Formula formula = parse_text(text);
  formula.names = {};
  formula.names.give(formula.root, "top");
  EXPECT_LT(print(formula).size(), 20'000u);
  EXPECT_TRUE(same_formula(formula, parse_text(print(formula))));
}

}  // namespace
}  // namespace quench::lang
