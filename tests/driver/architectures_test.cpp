// What `quench decide` says: classes, answers and witnesses of languages whose answers are known.
#include <gtest/gtest.h>

#include "automata/classify/witness_check.h"
#include "automata/samples/random_languages.h"
#include "driver/architectures.h"
#include "driver/language_of.h"
#include "support/automata.h"

namespace quench {
namespace {

using driver::AnswerKind;
using driver::judge;
using driver::Verdict;

Verdict verdict_of(const char* regex, bool networks = false) {
  return judge(test::regex_rule(regex).dfa, {}, networks);
}
/// "yes yes no no yes": the rows in their order.
std::string answers(const Verdict& verdict) {
  std::string text;
  for (const driver::Architecture& row : verdict.architectures)
    text += (text.empty() ? "" : " ") + std::string(row.possible ? "yes" : "no");
  return text;
}

TEST(Architectures, AnswersOfKnownLanguages) {
  EXPECT_EQ(answers(verdict_of(".*a.*")), "yes yes yes yes yes");
  EXPECT_EQ(answers(verdict_of("(ab)*")), "no yes yes yes yes");
  EXPECT_EQ(answers(verdict_of("(..)*")), "no no yes yes yes");
  EXPECT_EQ(answers(verdict_of("b*(ab*ab*)*")), "no no no yes yes");
  for (const test::AutomatonExample& example : test::automaton_examples()) {
    if (example.solvable()) continue;
    const Verdict verdict = judge(example.rule.dfa);
    EXPECT_EQ(answers(verdict), "no no no no yes");
    EXPECT_EQ(verdict.architectures[2].kind, AnswerKind::unconditional);
    EXPECT_EQ(verdict.architectures[3].kind, AnswerKind::conditional);
    EXPECT_EQ(verdict.recipe, "");
  }
}

TEST(Architectures, YesIsANetworkOfTheRightLogic) {
  const Verdict verdict = verdict_of("(..)*&.*ab.*", true);
  EXPECT_EQ(answers(verdict), "no no yes yes yes");
  const driver::Architecture& row = verdict.architectures[2];
  EXPECT_EQ(row.name, "hard attention, positions mod 2");
  EXPECT_EQ(row.kind, AnswerKind::network);
  ASSERT_TRUE(row.network);
  EXPECT_GT(row.network->certified, 1000u);
  EXPECT_EQ(row.network->formula.find("#<"), std::string::npos) << row.network->formula;
  EXPECT_GE(verdict.architectures[3].network->certified, row.network->certified) << "more formulas to choose from";
  EXPECT_FALSE(verdict.recipe.empty());
}

TEST(Architectures, WithoutNetworksItIsTheoremsThatSayYes) {
  for (const driver::Architecture& row : verdict_of("(ab)*").architectures) {
    EXPECT_FALSE(row.network);
    EXPECT_EQ(row.kind, row.possible ? AnswerKind::theorem : AnswerKind::unconditional);
    EXPECT_FALSE(row.reason.empty());
  }
}

TEST(Architectures, AFormulaBeyondTheLimitsIsSaid) {
  driver::RegularOptions few;
  few.limits.configurations = 1;
  const Verdict verdict = judge(test::regex_rule("(ab)*").dfa, few);
  EXPECT_EQ(answers(verdict), "no yes yes yes yes");
  EXPECT_EQ(verdict.architectures[1].kind, AnswerKind::theorem);
  EXPECT_NE(verdict.architectures[1].reason.find("--limit configurations=N"), std::string::npos);
}

TEST(Architectures, ReturnsAreWitnessesOfWhatIsNotRTrivial) {
  Random random(3);
  int with = 0, without = 0;
  for (int k = 0; k < 400; ++k) {
    const Verdict verdict =
        judge(automata::random_dfa(random, 1 + random.below(6), 1 + random.below(3), 0.4), {}, false);
    EXPECT_EQ(verdict.not_r_trivial.has_value(), !verdict.decision.r_trivial);
    ++(verdict.not_r_trivial ? with : without);
    if (!verdict.not_r_trivial) continue;
    automata::ReturnWitness wrong = *verdict.not_r_trivial;
    EXPECT_TRUE(holds(verdict.minimal, wrong));
    std::swap(wrong.from, wrong.to);
    wrong.away = wrong.back = {};
    EXPECT_FALSE(holds(verdict.minimal, wrong));
  }
  EXPECT_GT(with, 30);
  EXPECT_GT(without, 30);
}

}  // namespace
}  // namespace quench
