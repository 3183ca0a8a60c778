// What texts mean: spelling, precedence, statements, definitions.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lang/operators.h"
#include "lang/same_formula.h"
#include "parse/parse_text.h"

namespace quench {
namespace {

bool same(std::string_view a, std::string_view b) { return same_formula(parse_text(a), parse_text(b)); }

TEST(ParseFormula, ReadsTheExamplesOfThePaper) {
  EXPECT_EQ(reprint("Q_1 & next Q_1 & next next Q_0"), "Q_1 & next Q_1 & next next Q_0");
  EXPECT_EQ(reprint("odd(#<[Q_1])"), "odd(#<[Q_1])");
  EXPECT_EQ(reprint("#<[#<[⊖Q_1] = →#[Q_1]] = 0"), "#<[#<[prev Q_1] = #>[Q_1]] = 0");
}

TEST(ParseFormula, EverySpellingOfAnOperatorMeansTheSame) {
  for (const lang::OperatorFacts& row : lang::all_operators()) {
    const auto text = [&](std::string_view op) {
      return row.arity == 1 ? fmt::format("{} Q_a", op) : fmt::format("Q_a {} Q_b", op);
    };
    const lang::Formula formula = parse_text(text(row.symbol));
    if (row.arity == 1) {
      EXPECT_EQ(std::get<lang::Unary>(formula[formula.root]).op, row.op);
    } else {
      EXPECT_EQ(std::get<lang::Binary>(formula[formula.root]).op, row.op);
    }
    for (const std::string_view other : {row.word, row.unicode})
      EXPECT_TRUE(other.empty() || same(text(row.symbol), text(other))) << other;
  }
  for (const lang::RelationFacts& row : lang::all_relations())
    EXPECT_TRUE(row.unicode.empty() ||
                same(fmt::format("#<[Q_a]{}1", row.symbol), fmt::format("#<[Q_a]{}1", row.unicode)));
  EXPECT_TRUE(same("⊤ & ⊥", "true & false"));
  EXPECT_TRUE(same("Q_a && Q_b || Q_c", "Q_a & Q_b | Q_c"));
  EXPECT_TRUE(same("#<[Q_a] == 1", "#<[Q_a] = 1"));
}

TEST(ParseFormula, CountsInEverySpelling) {
  EXPECT_TRUE(same("←#[Q_a] = →#[Q_b]", "#<[Q_a] = #>[Q_b]"));
  EXPECT_TRUE(same("#←[Q_a] = #→[Q_b]", "#< [Q_a] = #> [Q_b]"));
  // After an operand `→` is an implication, even before a count.
  EXPECT_TRUE(same("Q_a →#[Q_b] >= 1", "Q_a -> #[Q_b] >= 1"));
  EXPECT_TRUE(same("Q_a →#<[Q_b] >= 1", "Q_a -> #<[Q_b] >= 1"));
  EXPECT_TRUE(same("let x = Q_a\n→#[x] = 1", "#>[Q_a] = 1"));
}

TEST(ParseFormula, SymbolsInEverySpelling) {
  EXPECT_TRUE(same("Q_a", "Q['a']"));
  EXPECT_TRUE(same("Q_a", "'a'"));
  EXPECT_TRUE(same("Q_a", "Q [ a ]"));
  EXPECT_TRUE(same("Q_foo", "'foo'"));
  EXPECT_TRUE(same("'\\u{61}\\\\'", "'a\\\\'"));
  EXPECT_EQ(parse_text("'\\n'").alphabet.symbols().front(), "\n");
  EXPECT_EQ(parse_text("' '").alphabet.symbols().front(), " ");
  EXPECT_EQ(parse_text("Q_0").alphabet.symbols().front(), "0");
  EXPECT_EQ(parse_text("Q__").alphabet.symbols().front(), "_");
  EXPECT_EQ(parse_text("Q_b & Q_a & Q_b").alphabet.symbols(), (std::vector<std::string>{"b", "a"}));
}

TEST(ParseFormula, PrecedenceFromTightToLoose) {
  EXPECT_TRUE(same("!Q_a since Q_b", "(!Q_a) since Q_b"));
  EXPECT_TRUE(same("prev Q_a & Q_b", "(prev Q_a) & Q_b"));
  EXPECT_TRUE(same("Q_a & Q_b since Q_c", "Q_a & (Q_b since Q_c)"));
  EXPECT_TRUE(same("Q_a U Q_b & Q_c", "(Q_a U Q_b) & Q_c"));
  EXPECT_TRUE(same("Q_a | Q_b & Q_c", "Q_a | (Q_b & Q_c)"));
  EXPECT_TRUE(same("Q_a xor Q_b | Q_c", "Q_a xor (Q_b | Q_c)"));
  EXPECT_TRUE(same("Q_a -> Q_b xor Q_c", "Q_a -> (Q_b xor Q_c)"));
  EXPECT_TRUE(same("Q_a <-> Q_b -> Q_c", "Q_a <-> (Q_b -> Q_c)"));
}

TEST(ParseFormula, Associativity) {
  for (const char* op : {"since", "until", "S", "U", "W", "R", "->"})
    EXPECT_TRUE(same(fmt::format("Q_a {0} Q_b {0} Q_c", op), fmt::format("Q_a {0} (Q_b {0} Q_c)", op))) << op;
  for (const char* op : {"&", "|", "xor", "<->"})
    EXPECT_TRUE(same(fmt::format("Q_a {0} Q_b {0} Q_c", op), fmt::format("(Q_a {0} Q_b) {0} Q_c", op))) << op;
  EXPECT_TRUE(same("Q_a since Q_b until Q_c S Q_d", "Q_a since (Q_b until (Q_c S Q_d))"));
  EXPECT_TRUE(same("#<[Q_a] - 1 - 2 >= 0", "(#<[Q_a] - 1) - 2 >= 0"));
}

TEST(ParseFormula, ComparisonsBindTighterThanOperatorsOnFormulas) {
  EXPECT_TRUE(same("#<[Q_a] >= 1 & Q_b", "(#<[Q_a] >= 1) & Q_b"));
  EXPECT_TRUE(same("!#<[Q_a] >= 1", "!(#<[Q_a] >= 1)"));
  EXPECT_TRUE(same("prev #<[Q_a] + 1 >= 2*#>[Q_b] since Q_c", "(prev (#<[Q_a] + 1 >= 2*#>[Q_b])) since Q_c"));
}

TEST(ParseFormula, LinearTerms) {
  EXPECT_TRUE(same("#<[Q_a]*2 >= 1", "2*#<[Q_a] >= 1"));
  EXPECT_TRUE(same("2*(#<[Q_a] - 3) - (#>[Q_b] - 1) >= -(-1)", "2*#<[Q_a] - #>[Q_b] - 5 >= 1"));
  EXPECT_TRUE(same("-3*-(2*-#<[Q_a]) + +1 = 0", "-6*#<[Q_a] + 1 = 0"));
  EXPECT_TRUE(same("(#<[Q_a] - #<[Q_a]) = 0", "0 = 0"));
  EXPECT_TRUE(same("1 - (1 - (1 - (#<[Q_b] + #<[Q_a]))) = 0", "1 - #<[Q_a] - #<[Q_b] = 0"));
  EXPECT_EQ(reprint("#<[Q_a] >= -9223372036854775808"), "#<[Q_a] >= -9223372036854775808");
  EXPECT_EQ(reprint("-9223372036854775808*#<[Q_a] >= 9223372036854775807"),
            "-9223372036854775808*#<[Q_a] >= 9223372036854775807");
}

TEST(ParseFormula, NumericalPredicates) {
  EXPECT_EQ(reprint("odd & even & prime & square & cube & pow2 & triangular & fibonacci & first & last"),
            "odd & even & prime & square & cube & pow2 & triangular & fibonacci & first & last");
  EXPECT_EQ(reprint("mod(3,1) & mod( 3 , -1 )(#<[Q_a]) & mod(3,7)"), "mod(3,1) & mod(3,2)(#<[Q_a]) & mod(3,1)");
  EXPECT_EQ(reprint("let k = #>[Q_a]; odd(k) | odd((k))"), "odd(#>[Q_a]) | odd(#>[Q_a])");
}

TEST(ParseFormula, UserDefinedPredicates) {
  const lang::Formula formula =
      parse_text("pred p(i, len) = -i*i + 2 <= len % 3 and not i = 1 | i / 2 != 4\np & p(#<[Q_a])");
  ASSERT_EQ(formula.predicates().size(), 1u);
  using Op = IntInstruction::Op;
  std::vector<Op> operations;
  for (const IntInstruction& instruction : formula.predicates()[0].code) operations.push_back(instruction.op);
  EXPECT_EQ(operations,
            (std::vector{Op::x,        Op::negate,      Op::x,           Op::multiply,   Op::constant, Op::add,
                         Op::n,        Op::constant,    Op::modulo,      Op::less_equal, Op::x,        Op::constant,
                         Op::equal,    Op::logical_not, Op::logical_and, Op::x,          Op::constant, Op::divide,
                         Op::constant, Op::not_equal,   Op::logical_or}));
  EXPECT_EQ(reprint("pred p = {}; p"), "pred p = {}\np");
  EXPECT_EQ(reprint("pred p = { 3,\n 1 }; p"), "pred p = {1, 3}\np");
}

TEST(ParseFormula, StatementsEndAtSemicolonsAndLineEnds) {
  EXPECT_TRUE(same("let x = Q_a; let y = Q_b\nx & y", "Q_a & Q_b"));
  EXPECT_TRUE(same("\n\n;;Q_a;\n;", "Q_a"));
  EXPECT_TRUE(same("let x = Q_a\r\nx\r\n", "Q_a"));
  EXPECT_TRUE(same("Q_a // comment & Q_b\n// another", "Q_a"));
  EXPECT_TRUE(same("\xEF\xBB\xBFQ_a", "Q_a"));
}

TEST(ParseFormula, LinesContinueInBracketsAndAroundOperators) {
  EXPECT_TRUE(same("(Q_a\n&\n\nQ_b)", "Q_a & Q_b"));
  EXPECT_TRUE(same("Q_a\n  & Q_b\n  | Q_c", "Q_a & Q_b | Q_c"));
  EXPECT_TRUE(same("Q_a &\n // why\n Q_b", "Q_a & Q_b"));
  EXPECT_TRUE(same("let x =\n !\n Q_a\nx", "!Q_a"));
  EXPECT_TRUE(same("#<[\nQ_a\n]\n+ 1\n>= 2", "#<[Q_a] + 1 >= 2"));
  EXPECT_TRUE(same("mod(3,\n1)\nsince Q_a", "mod(3,1) since Q_a"));
  EXPECT_TRUE(same("pred p(x) = x\n > 1 and\n x < 3\np", "pred p(x) = x > 1 and x < 3; p"));
}

TEST(ParseFormula, TheLastExpressionIsTheResult) {
  EXPECT_TRUE(same("Q_a\nQ_b", "Q_b"));
  EXPECT_TRUE(same("Q_a\nlet x = Q_b", "Q_a"));
}

TEST(ParseFormula, LetBindsFormulasAndTermsAndMayBeUnused) {
  EXPECT_TRUE(same("let t = #<[Q_a] - 1; let φ₁ = 2*t >= t; φ₁", "2*#<[Q_a] - 2 >= #<[Q_a] - 1"));
  EXPECT_TRUE(same("let unused = 3; Q_a", "Q_a"));
  // A term that a `let` has named is not changed by its uses.
  EXPECT_TRUE(same("let t = #<[Q_a]; -t + t*3 - t + t >= t", "2*#<[Q_a] >= #<[Q_a]"));
}

TEST(ParseFormula, EqualSubformulasAreOneNode) {
  const lang::Formula formula = parse_text("(Q_a & Q_b) since (Q_a & Q_b) | #<[Q_a & Q_b] >= 1");
  EXPECT_EQ(formula.size(), 6u);
}

TEST(ParseFormula, SpansPointAtTheFirstOccurrence) {
  const std::string_view text = "let x = (Q_a & Q_b) | Q_c\nprev x";
  const lang::Formula formula = parse_text(text);
  const auto span_text = [&](lang::FormulaId id) {
    const Span span = formula.span(id);
    return text.substr(span.begin, span.end - span.begin);
  };
  EXPECT_EQ(span_text(formula.root), "prev x");
  const lang::FormulaId disjunction = std::get<lang::Unary>(formula[formula.root]).arg;
  EXPECT_EQ(span_text(disjunction), "(Q_a & Q_b) | Q_c");
  EXPECT_EQ(span_text(std::get<lang::Binary>(formula[disjunction]).left), "Q_a & Q_b");
}

}  // namespace
}  // namespace quench
