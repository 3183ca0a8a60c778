// Scores: what they mean, what is refused, and that the network puts them out.
#include <gmock/gmock.h>

#include "base/error.h"
#include "lower/program/program_check.h"
#include "parse/parse_program.h"

namespace quench {
namespace {

using test::ProgramCheck;
using ::testing::ElementsAre;

lang::Program parsed(const std::string& text) { return driver::parse_program(text); }
oracle::Values values(const std::string& text, std::string_view word) {
  const lang::Program program = parsed(text);
  return oracle::evaluate(program, program.alphabet.parse(word));
}
std::vector<std::string> codes(std::string_view text) {
  std::vector<std::string> found;
  for (const Diagnostic& diagnostic : parse::parse_program(text).diagnostics) found.push_back(diagnostic.code);
  return found;
}

TEST(Scores, AreExactInMillionths) {
  EXPECT_THAT(values("out(i) = Q_a(i) ? 0.25 : -1.000001", "ab"), ElementsAre(250'000, -1'000'001));
  EXPECT_THAT(values("p(i) = Q_a(i) ? 0.1 : 0.2\nout(i) = 3 * p(i) - 1", "ab"), ElementsAre(-700'000, -400'000));
  EXPECT_THAT(values("out(i) = Q_a(i) + 0.5", "ab"), ElementsAre(1'500'000, 500'000));
  EXPECT_THAT(values("out(i) = -(Q_a(i) ? 2.5 : 1)", "ab"), ElementsAre(-2'500'000, -1'000'000));
}

TEST(Scores, OfSeveralSymbolsComePositionByPosition) {
  EXPECT_THAT(values("score['b'](i) = Q_a(i) ? 0.5 : 0\nscore['a'](i) = pos(i) >= 2 ? 1.5 : 0.25", "ab"),
              ElementsAre(500'000, 250'000, 0, 1'500'000));
}

TEST(Scores, MeansAreSharesOfThePositionsWithinReach) {
  EXPECT_THAT(values("out(i) = mean j [j <= i] Q_a(j)", "abb"), ElementsAre(1'000'000, 500'000, 333'333));
  EXPECT_THAT(values("out(i) = mean j [j >= i] Q_a(j)", "abb"), ElementsAre(333'333, 0, 0));
  EXPECT_THAT(values("out(i) = mean j [] Q_b(j)", "abb"), ElementsAre(666'667, 666'667, 666'667));
  EXPECT_THAT(values("m(i) = mean j [] Q_b(j)\nout(i) = 3 * m(i)", "abb"),
              ElementsAre(2'000'000, 2'000'000, 2'000'000));
}

TEST(Scores, AVectorMayBeCalledMeanOrScore) {
  EXPECT_THAT(values("mean(i) = Q_a(i)\nscore(i) = mean(i)\nout(i) = score(i)", "ab"), ElementsAre(1, 0));
}

TEST(Scores, TheNetworkPutsThemOut) {
  for (const char* text :
       {"out(i) = Q_a(i) ? 0.25 : -1.000001\nalphabet {'b'}", "out(i) = 0.125\nalphabet {'a'}",
        "out(i) = 0.0\nalphabet {'a'}",
        "b(i) = rightmost j [j < i] in(j) : '?'\nscore['a'](i) = b(i) = 'a' ? (Q_a(i) ? -0.5 : -2.5) : Q_b(i) ? 1.5 : "
        "0\n"
        "score['b'](i) = (b(i) = 'a') + 2 * (Q_b(i) ? 0.000001 : 123456.789)",
        "out(i) = mean j [j <= i] true\nalphabet {'a'}",
        "l(i) = mean j [j <= i] Q_a(j)\nr(i) = mean j [j >= i] Q_a(j)\nt(i) = mean j [] Q_b(j)\n"
        "score['a'](i) = Q_a(i) ? l(i) - 2 * r(i) : t(i)\nscore['b'](i) = pos(i) > 2 ? (Q_b(i) ? t(i) : 1) : l(i)",
        "c(i) = #[j <= i] Q_a(j)\nout(i) = c(i) >= 2 ? 0.75 : -0.75\nalphabet {'b'}"}) {
    SCOPED_TRACE(text);
    ProgramCheck check(parsed(text));
    EXPECT_EQ(check.model().output.kind, model::OutputKind::scores);
    check.expect_right_to(5);
    Random random(1);
    check.expect_right_at_random(random, 10, 64);
  }
}

TEST(Scores, PrintingAndParsingAgainGivesTheSameProgram) {
  for (const char* text : {"score['it\\'s'](i) = -0.5\nscore['b'](i) = 2 * (Q_b(i) ? 1 : -0.25) - 0.5\n",
                           "m(i) = mean j [j >= i] Q_a(j)\nout(i) = Q_a(i) + m(i) - 3.000001\n"}) {
    const std::string printed = lang::print(parsed(text));
    EXPECT_EQ(lang::print(parsed(printed)), printed);
  }
}

TEST(Scores, BadPrograms) {
  EXPECT_THAT(codes("out(i) = 0.1234567"), ElementsAre("E214"));
  EXPECT_THAT(codes("out(i) = 1."), ElementsAre("E214"));
  EXPECT_THAT(codes("out(i) = 1234567.0"), ElementsAre("E214"));
  EXPECT_THAT(codes("out(i) = 0.5 > 0.25"), ElementsAre("E214"));
  EXPECT_THAT(codes("p(i) = 0.5\nout(i) = rightmost j [j < i] p(j) : 0.5"), ElementsAre("E214"));
  EXPECT_THAT(codes("score['a'](i) = 0.5\nout(i) = Q_a(i)"), ElementsAre("E214"));
  EXPECT_THAT(codes("score['a'](i) = 0.5\nscore['a'](i) = 0.25"), ElementsAre("E015"));
  EXPECT_THAT(codes("score['a'](i) = in(i)"), ElementsAre("E204"));
  EXPECT_THAT(codes("score['a'](i) = pos(i)"), ElementsAre("E204"));
  EXPECT_THAT(codes("out(i) = 0.5 and true"), ElementsAre("E204"));
  EXPECT_THAT(codes("out(i) = 0.5 * 0.5"), ElementsAre("E019"));
  EXPECT_THAT(codes("out(i) = mean j [j < i] Q_a(j)"), ElementsAre("E208"));
  EXPECT_THAT(codes("out(i) = mean j [j <= i, false] Q_a(j)"), ElementsAre("E208"));
  EXPECT_THAT(codes("out(i) = mean j [j <= i] Q_a(i)"), ElementsAre("E207"));
  EXPECT_THAT(codes("score[a](i) = 0.5"), ElementsAre("E201"));
  EXPECT_THAT(codes("score['a'] = 0.5"), ElementsAre("E201"));
}

TEST(Scores, TooGreatSumsAreReported) {
  const std::string text = "p(i) = 999999.0\nq(i) = 9 * p(i)\nout(i) = 9 * q(i)\nalphabet {'a'}";
  EXPECT_THROW(values(text, "a"), UserError);
}

}  // namespace
}  // namespace quench
