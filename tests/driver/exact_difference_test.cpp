// Two regular rules on all words: what is found is the smallest word of an enumeration, and a proof is never
// contradicted.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "automata/samples/random_languages.h"
#include "base/error.h"
#include "driver/compile.h"
#include "driver/exact_difference.h"
#include "driver/language_of.h"
#include "lang/random_formula.h"
#include "support/automata.h"
#include "verify/diff.h"

namespace quench {
namespace {

using test::dfa_rule;
using test::regex_rule;
using testing::HasSubstr;

/// The word, "equal", or why it is not known.
std::string found(const lang::Rule& first, const lang::Rule& second, const automata::Limits& limits = {}) {
  try {
    const auto difference = driver::exact_difference(first, second, limits);
    return difference ? difference->symbols.print(difference->word) : "equal";
  } catch (const UserError& error) {
    return error.what();
  } catch (const DiagnosticError& error) {
    return error.what();
  }
}
lang::Rule formula(const char* text) { return driver::parse(text); }

TEST(ExactDifference, KnownPairs) {
  EXPECT_EQ(found(regex_rule("(ab)*"), formula("Q_b & H (Q_a & Z Q_b | Q_b & prev Q_a)")), "equal");
  EXPECT_EQ(found(regex_rule("(ab)*"), regex_rule("(ab)+")), "equal") << "the empty word is no word of a rule";
  EXPECT_EQ(found(regex_rule("(ab)*"), regex_rule("(ab)*|ba")), "ba");
  EXPECT_EQ(found(formula("O Q_a"), formula("!H !Q_a")), "equal");
  EXPECT_EQ(found(formula("O Q_a"), formula("O Q_b")), "a");
  EXPECT_EQ(found(formula("F Q_a"), formula("Q_a")), "equal") << "at the last position";
  EXPECT_EQ(found(regex_rule("a*"), regex_rule("a*|b")), "b");
  EXPECT_EQ(found(regex_rule(".*"), regex_rule("a*")), "_") << "a symbol that neither mentions";
  EXPECT_EQ(found(regex_rule("('(' ('(' ')')* ')')*"),
                  formula("#<['('] = #<[')'] & H (#<['('] >= #<[')'] & #<['('] <= #<[')'] + 2) & H ('(' | ')')")),
            "equal")
      << "a formula that compares counts, against an automaton";
  EXPECT_EQ(
      found(formula("#<['('] = #<[')'] & H (#<['('] >= #<[')'] & #<['('] <= #<[')'] + 2)"), regex_rule("('(' ')')*")),
      "_");
}

TEST(ExactDifference, WordsHaveDeclaredSymbolsOnly) {
  const lang::Rule odd = dfa_rule("alphabet a b\ninitial 0\naccepting 1\n0 a 1\n1 a 0\n0 b 0\n1 b 1\n");
  EXPECT_EQ(found(odd, formula("odd(#<[Q_a])")), "equal");
  EXPECT_EQ(found(formula("odd(#<[Q_a])"), odd), "equal");
  EXPECT_EQ(found(odd, formula("alphabet {a, b}\nodd(#<[Q_a])")), "equal");
  EXPECT_EQ(found(odd, formula("even(#<[Q_b])")), "aa");
  EXPECT_EQ(found(formula("alphabet {c}\nQ_c"), odd),
            "the alphabets of the rules have no symbol in common, so no word is of both");
}

TEST(ExactDifference, WhatIsNotDecidedSaysWhy) {
  EXPECT_THAT(found(formula("#<[Q_a] > #<[Q_b]"), formula("O Q_a")), HasSubstr("#<[Q_a]"));
  automata::Limits few;
  few.progression = 3;
  EXPECT_THAT(found(formula("mod(7,0)(#<[Q_a])"), formula("O Q_a"), few), HasSubstr("--limit progression=N"));
  const lang::Rule reverse = driver::parse_program("n(i) = psum j [j <= i] 1\nout(i) = n(i)");
  EXPECT_THAT(found(reverse, formula("O Q_a")), HasSubstr("accept or reject"));
}

TEST(ExactDifference, RandomExpressionsAgreeWithAnEnumeration) {
  Random random(5);
  int equal = 0, different = 0;
  for (int k = 0; k < 150; ++k) {
    const lang::Rule first = regex_rule(automata::random_regex(random, 5, 2)),
                     second = regex_rule(automata::random_regex(random, 5, 2));
    const verify::DiffReport report = verify::diff(first, second, 5);
    const std::string word = found(first, second);
    if (report.difference) {
      EXPECT_EQ(word, report.difference->word);
      ++different;
    } else if (word == "equal") {
      ++equal;
    } else {
      EXPECT_GT(word.size(), 5u);
    }
  }
  EXPECT_GT(equal, 3);
  EXPECT_GT(different, 50);
}

TEST(LanguageOf, ProgramsAreDecidedByTheirFormulas) {
  const lang::Rule program = driver::parse_program("out(i) = rightmost j [j < i] Q_a(j) : false");
  EXPECT_EQ(found(program, formula("prev Q_a")), "equal");
  EXPECT_EQ(found(program, regex_rule(".*a.")), "equal");
}

}  // namespace
}  // namespace quench
