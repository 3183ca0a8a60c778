// Printing, mostly by way of the parser: what is printed must mean what was read.
#include "lang/print/print.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "lang/operators.h"
#include "lang/random_formula.h"
#include "lang/same_formula.h"
#include "parse/parse_text.h"

namespace quench::lang {
namespace {

RandomFormulaOptions everything(int operators) {
  RandomFormulaOptions options;
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
  options.operators = operators;
  options.symbols = 3;
  options.max_coefficient = 3;
  return options;
}

/// The formula without the names that its text gives.
Formula nameless(const std::string& text) {
  Formula formula = parse_text(text);
  formula.names = {};
  return formula;
}

std::ptrdiff_t reachable_size(const Formula& formula) {
  const std::vector<bool> reachable = formula.reachable();
  return std::count(reachable.begin(), reachable.end(), true);
}

TEST(Print, RandomFormulasParseBackToThemselves) {
  Random random(11);
  for (int round = 0; round < 4000; ++round) {
    const Formula formula = random_formula(random, everything(static_cast<int>(random.below(40))));
    const std::string text = print(formula);
    ASSERT_TRUE(same_formula(formula, parse_text(text))) << text;
  }
}

TEST(Print, LargeRandomFormulasParseBackToThemselves) {
  Random random(12);
  for (int round = 0; round < 5; ++round) {
    const Formula formula = random_formula(random, everything(10'000));
    EXPECT_GT(reachable_size(formula), 5000);
    EXPECT_TRUE(same_formula(formula, parse_text(print(formula))));
  }
}

TEST(Print, OnlyParenthesesThatAreNeeded) {
  EXPECT_EQ(reprint("((Q_a) & ((Q_b)) & (Q_c))"), "Q_a & Q_b & Q_c");
  EXPECT_EQ(reprint("Q_a & (Q_b & Q_c)"), "Q_a & (Q_b & Q_c)");
  EXPECT_EQ(reprint("(Q_a -> Q_b) -> Q_c -> Q_d"), "(Q_a -> Q_b) -> Q_c -> Q_d");
  EXPECT_EQ(reprint("(Q_a since Q_b) since Q_c"), "(Q_a since Q_b) since Q_c");
  EXPECT_EQ(reprint("!(Q_a & Q_b)"), "!(Q_a & Q_b)");
  EXPECT_EQ(reprint("!(#<[Q_a] >= 1)"), "!(#<[Q_a] >= 1)");
  EXPECT_EQ(reprint("prev(prev(!Q_a))"), "prev prev !Q_a");
}

TEST(Print, TermsAreNormalised) {
  EXPECT_EQ(reprint("#<[Q_a] + 2*#<[Q_a] - 0*#>[Q_b] + 1 - 3 <= -(#<[Q_b])"), "3*#<[Q_a] - 2 <= -#<[Q_b]");
  EXPECT_EQ(reprint("0*#<[Q_a] = 0"), "0 = 0");
}

TEST(Print, SymbolsThatAreNoNamesAreQuoted) {
  EXPECT_EQ(reprint(R"('(' & '\'' & '\\' & '\n' & '\u{1F600}' & '\u{7}' & 'φ')"),
            R"(Q['('] & Q['\''] & Q['\\'] & Q['\n'] & Q['😀'] & Q['\u{7}'] & Q_φ)");
  EXPECT_EQ(reprint("'foo' & 'a-b'"), "Q_foo & Q['a-b']");
}

TEST(Print, SharingIsWrittenOutWhileShort) {
  EXPECT_EQ(print(nameless("let x = Q_a & Q_b; x | !x")), "Q_a & Q_b | !(Q_a & Q_b)\n");
}

/// Found by fuzzing: the name of a difference that is 0 stood for every 0 of the text, and its definition was not
/// printed.
TEST(Print, NamesOfWhatTurnsOutConstantAreNotUsed) {
  for (const char* text :
       {"let d = #<[Q_a] - #<[Q_a]; d >= 0 & #<[Q_b] > 0", "let d = #<[Q_a] - #<[Q_a] + 2; H (d = #<[Q_b])"}) {
    const Formula formula = parse_text(text);
    EXPECT_EQ(print(formula).find("d "), std::string::npos) << print(formula);
    EXPECT_TRUE(same_formula(formula, parse_text(print(formula)))) << text;
  }
}

TEST(Print, SharingThatWouldExplodeGetsNames) {
  std::string text = "let x0 = Q_a & prev Q_b\n";
  for (int k = 1; k <= 200; ++k) text += fmt::format("let x{0} = x{1} since prev x{1}\n", k, k - 1);
  const Formula formula = nameless(text + "x200");
  const std::string printed = print(formula);
  EXPECT_LT(printed.size(), 10'000u);
  EXPECT_TRUE(same_formula(formula, parse_text(printed)));
  EXPECT_LT(print_latex(formula).size(), 40'000u);
}

TEST(Print, SharedTermsGetNamesToo) {
  std::string text = "pred t1 = {3}\nlet sum = 0";
  for (int k = 0; k < 50; ++k) text += " + #<[Q_s" + std::to_string(k) + " & t1]";
  text += "\nfalse";
  for (int k = 0; k < 1000; ++k) text += " | sum >= " + std::to_string(k);
  const Formula formula = nameless(text);
  const std::string printed = print(formula);
  EXPECT_LT(printed.size(), 30'000u);
  EXPECT_NE(printed.find("let t2 = "), std::string::npos);  // t1 is a predicate
  EXPECT_TRUE(same_formula(formula, parse_text(printed)));
}

TEST(Print, LongSharedSymbolsAreWrittenOnce) {
  std::string text = "let x = Q_" + std::string(10'000, 'y') + "\nx";
  for (int k = 0; k < 1000; ++k) text += " & prev x";
  for (int k = 0; k < 100; ++k) text += " | x xor x";
  const Formula formula = nameless(text);
  EXPECT_LT(print(formula).size(), 40'000u);
  EXPECT_TRUE(same_formula(formula, parse_text(print(formula))));
}

TEST(Print, PredicatesAreDefinedBeforeTheyAreUsed) {
  EXPECT_EQ(
      reprint("pred p = {9,1,4,4}; pred q(i,len) = (i-1)*i >= len or not (i = 3 and -i < -(len / 2)); p & q(#[Q_a])"),
      "pred p = {1, 4, 9}\n"
      "pred q(x, n) = (x - 1)*x >= n or not (x = 3 and -x < -(n / 2))\n"
      "p & q(#[Q_a])");
  EXPECT_EQ(reprint("pred p(a) = a - (a - 1) = 1; pred unused = {}; p"), "pred p(x) = x - (x - 1) = 1\np");
}

TEST(PrintNode, CutsAfterTheLimit) {
  const Formula formula = parse_text("Q_a & Q_b & Q_c & Q_d");
  EXPECT_EQ(print_node(formula, formula.root), "Q_a & Q_b & Q_c & Q_d");
  EXPECT_EQ(print_node(formula, formula.root, 21), "Q_a & Q_b & Q_c & Q_d");
  EXPECT_EQ(print_node(formula, formula.root, 8), "Q_a & Q_…");
  const Formula greek = parse_text("Q_φφφφ");
  EXPECT_EQ(print_node(greek, greek.root, 5), "Q_φ…");
}

TEST(PrintNode, IsCheapOnDeepAndLongFormulas) {
  std::string chain = "Q_a", right = "Q_a", sum = "#<[Q_a]";
  for (int k = 0; k < 100'000; ++k) {
    chain += " & Q_b";
    right += " -> Q_b";
    sum += " + #<[Q_s" + std::to_string(k) + "]";
  }
  for (const std::string& text : {chain, right, sum + " >= 1", "'" + std::string(1'000'000, 'x') + "'"}) {
    const Formula formula = parse_text(text);
    std::size_t total = 0;
    for (int k = 0; k < 10'000; ++k) total += print_node(formula, formula.root).size();
    EXPECT_LE(total, 10'000u * 70);
  }
}

TEST(PrintLatex, UsesThePapersNotation) {
  const Formula formula = parse_text("!Q_a since prev '_' & 2*#<[Q_b] - #>[true] <= 3 | odd(#[Q_b]) & mod(3,1)");
  EXPECT_EQ(print_latex(formula),
            "\\neg Q_{\\texttt{a}} \\mathbin{\\mathbf{since}} \\ominus Q_{\\texttt{\\_}} \\wedge "
            "2\\,\\overleftarrow{\\#}[Q_{\\texttt{b}}] - \\overrightarrow{\\#}[\\top] \\le 3 \\vee "
            "\\mathrm{odd}(\\#[Q_{\\texttt{b}}]) \\wedge \\mathrm{mod(3,1)}\n");
}

TEST(PrintDot, HasEveryNodeAndEdge) {
  const Formula formula = parse_text("let unused = Q_z; Q_a since '\"' & #<[Q_a] - 2*#>['\"'] >= 3");
  EXPECT_EQ(print_dot(formula),
            "digraph formula {\n"
            "  node [shape=box, fontname=\"monospace\"];\n"
            "  n0 [label=\"Q_a\"];\n"
            "  n1 [label=\"Q['\\\"']\"];\n"
            "  n2 [label=\"since\"];\n"
            "  n2 -> n0 [label=\"1\"];\n"
            "  n2 -> n1 [label=\"2\"];\n"
            "  n3 [label=\"#<[1] - 2*#>[2] >= 3\"];\n"
            "  n3 -> n0 [label=\"1\"];\n"
            "  n3 -> n1 [label=\"2\"];\n"
            "  n4 [label=\"&\", peripheries=2];\n"
            "  n4 -> n2 [label=\"1\"];\n"
            "  n4 -> n3 [label=\"2\"];\n"
            "}\n");
}

TEST(PrintJson, IsTheDag) {
  const auto json = nlohmann::json::parse(print_json(parse_text("pred p = {1}; p(#<[Q_a]) & #[!Q_a] >= 2")));
  EXPECT_EQ(json["symbols"], (std::vector<std::string>{"a"}));
  EXPECT_EQ(json["predicates"][0]["definition"], "pred p = {1}");
  EXPECT_EQ(json["root"], json["nodes"].back()["id"]);
  EXPECT_EQ(json["nodes"].back()["operator"], "&");
  EXPECT_EQ(json["nodes"].size(), 5u);
  EXPECT_EQ(json["nodes"][3]["left"]["parts"][0]["coefficient"], 1);
}

TEST(RandomFormula, StaysInItsFragment) {
  Random random(3);
  RandomFormulaOptions options;
  options.fragment.previous = true;
  for (int round = 0; round < 200; ++round) {
    const Formula formula = random_formula(random, options);
    for (std::size_t k = 0; k < formula.size(); ++k) {
      const Node& node = formula[FormulaId(k)];
      EXPECT_FALSE(std::holds_alternative<Comparison>(node) || std::holds_alternative<PositionPredicate>(node) ||
                   std::holds_alternative<CountPredicate>(node));
      if (const auto* unary = std::get_if<Unary>(&node)) {
        EXPECT_TRUE(unary->op == Operator::not_ || unary->op == Operator::previous ||
                    unary->op == Operator::weak_previous);
      }
      if (const auto* binary = std::get_if<Binary>(&node)) {
        EXPECT_NE(facts(binary->op).precedence, Precedence::temporal);
      }
    }
  }
}

TEST(RandomFormula, HasAboutTheSizeAskedForAndEveryConstruct) {
  Random random(4);
  std::set<std::size_t> kinds, operators;
  for (int round = 0; round < 50; ++round) {
    const Formula formula = random_formula(random, everything(100));
    EXPECT_GT(reachable_size(formula), 50);
    EXPECT_LT(reachable_size(formula), 250);
    for (std::size_t k = 0; k < formula.size(); ++k) {
      const Node& node = formula[FormulaId(k)];
      kinds.insert(node.index());
      if (const auto* unary = std::get_if<Unary>(&node)) operators.insert(static_cast<std::size_t>(unary->op));
      if (const auto* binary = std::get_if<Binary>(&node)) operators.insert(static_cast<std::size_t>(binary->op));
    }
  }
  EXPECT_EQ(kinds.size(), std::variant_size_v<Node>);
  EXPECT_EQ(operators.size(), all_operators().size());
}

}  // namespace
}  // namespace quench::lang
