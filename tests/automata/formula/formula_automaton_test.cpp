// Formulas as automata, against the direct semantics on every short word.
#include <gtest/gtest.h>

#include "automata/every_word.h"
#include "automata/formula/formula_automaton.h"
#include "automata/machine/minimise.h"
#include "automata/regex_text.h"
#include "automata/samples/random_languages.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "parse/parse_text.h"

namespace quench::automata {
namespace {

using lang::Dfa;
using lang::Formula;

void agrees(const Formula& formula, std::size_t longest) {
  const Dfa dfa = automaton_of(formula);
  EXPECT_FALSE(dfa.accepts({}));
  for_every_word(formula.alphabet.size(), true, longest, [&](const Word& w) {
    if (w.empty()) return;
    ASSERT_EQ(dfa.accepts(w), oracle::evaluate(formula, w).back() != 0) << lang::print(formula);
  });
}

TEST(FormulaAutomaton, AcceptsWhatTheFormulaAccepts) {
  for (const char* text : {"Q_a",
                           "true",
                           "false",
                           "prev Q_a",
                           "Z Q_a",
                           "Q_a S Q_b",
                           "Q_a since Q_b",
                           "H (Q_a -> O Q_b)",
                           "F Q_a",
                           "prev F Q_a",
                           "O (Q_a & next Q_b)",
                           "O (Q_a & N Q_b)",
                           "H (Q_a -> F Q_b)",
                           "O (Q_a U Q_b & prev Q_a)",
                           "O (Q_a until Q_b)",
                           "H (Q_a W Q_b)",
                           "O (Q_a R Q_b)",
                           "O G Q_a",
                           "odd",
                           "even & Q_a",
                           "mod(3,1)",
                           "odd(#<[Q_a])",
                           "mod(3,2)(#<[Q_a | prev Q_b])",
                           "#<[Q_a] >= 2",
                           "2*#<[Q_a] + 3*#<[Q_b] = 7",
                           "#<[Q_a] != 0",
                           "-#<[Q_a] > -3",
                           "-#<[Q_a] <= 5",
                           "first",
                           "O (first & Q_a)",
                           "pred few = {0, 3}\nfew(#<[Q_a])",
                           "pred p = {1, 3}\nO (p & Q_a)",
                           "#<[Q_a] <= -1",
                           "3 >= 2",
                           "Q_a xor Q_b <-> prev Q_a"})
    agrees(parse_text(text), 6);
}

TEST(FormulaAutomaton, RandomFormulasAgree) {
  Random random(15);
  lang::RandomFormulaOptions options;
  options.fragment = {.previous = true, .next = true, .since = true, .until = true};
  for (int k = 0; k < 300; ++k) {
    options.operators = 1 + static_cast<int>(random.below(8));
    agrees(lang::random_formula(random, options), 5);
  }
}

TEST(FormulaAutomaton, SaysWhatIsOutsideTheFragment) {
  for (const char* text : {"#<[Q_a] > #<[Q_b]", "prime", "square(#<[Q_a])", "#>[Q_a] = 1", "odd(#[Q_a])", "last"})
    EXPECT_THROW(automaton_of(parse_text(text)), UserError) << text;
}

TEST(FormulaDifference, IsAProofOrAShortestWord) {
  const std::optional<Difference> found = difference(parse_text("O Q_a"), dfa_over("ab", ".*a.*b.*"));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->word, Word{0});
  EXPECT_TRUE(found->first_accepts);
  EXPECT_FALSE(difference(parse_text("O Q_a"), dfa_of(".*a.*")));
  EXPECT_FALSE(difference(parse_text("O (Q_a & F Q_b)"), dfa_of(".*a.*b.*")));
}

TEST(FormulaDifference, ForgetsCountersOfWordsThatAreLost) {
  const char* dyck = "H (#<[Q_a] - #<[Q_b] >= 0 & #<[Q_a] - #<[Q_b] <= 3 & (Q_a | Q_b)) & #<[Q_a] = #<[Q_b]";
  EXPECT_FALSE(difference(parse_text(dyck), dfa_of("(a(a(ab)*b)*b)*")));
  EXPECT_TRUE(difference(parse_text(dyck), dfa_of("(a(ab)*b)*")));
}

}  // namespace
}  // namespace quench::automata
