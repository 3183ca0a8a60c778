// The program language: meaning, sorts, diagnostics, depth.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/number/random.h"
#include "base/text/explain.h"
#include "lang/print/print_program.h"
#include "oracle/program.h"
#include "parse/parse_program.h"

namespace quench {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

lang::Program parsed(std::string_view text) {
  parse::ParsedProgram result = parse::parse_program(text);
  EXPECT_TRUE(result.program) << render(result.diagnostics, text, "text");
  return result.program ? std::move(*result.program) : lang::Program{};
}
oracle::Values values(std::string_view text, std::string_view word) {
  const lang::Program program = parsed(text);
  return oracle::evaluate(program, program.alphabet.parse(word));
}
std::vector<std::string> codes(std::string_view text) {
  const parse::ParsedProgram result = parse::parse_program(text);
  EXPECT_EQ(result.program.has_value(), result.diagnostics.empty());
  std::vector<std::string> found;
  for (const Diagnostic& diagnostic : result.diagnostics) found.push_back(diagnostic.code);
  return found;
}
std::string repeated(std::string_view text, int times) {
  std::string result;
  for (int k = 0; k < times; ++k) result += text;
  return result;
}

TEST(ProgramText, PrecedenceIsThatOfFormulasAndAConditionalBindsLeast) {
  EXPECT_EQ(
      lang::print(parsed("out(i) = not Q_a(i) and Q_b(i) or Q_a(i) ? Q_b(i) : Q_a(i) ? true : false")),
      "alphabet {'a', 'b'}\nout(i) = not in(i) = 'a' and in(i) = 'b' or in(i) = 'a' ? in(i) = 'b' : in(i) = 'a' ? "
      "true : false\n");
  EXPECT_THAT(values("out(i) = pos(i) + 2 * 3 - pos(i) >= 6", "aa"), ElementsAre(1, 1));
  EXPECT_THAT(values("out(i) = not Q_a(i) = Q_b(i)", "abz"), ElementsAre(1, 1, 0));
}

TEST(ProgramText, MasksReadFromEitherSide) {
  for (const auto& [mask, expected] : std::vector<std::pair<std::string, oracle::Values>>{{"j < i", {0, 1, 2}},
                                                                                          {"i > j", {0, 1, 2}},
                                                                                          {"j <= i", {1, 2, 3}},
                                                                                          {"i >= j", {1, 2, 3}},
                                                                                          {"j > i", {3, 3, 0}},
                                                                                          {"i < j", {3, 3, 0}},
                                                                                          {"j >= i", {3, 3, 3}},
                                                                                          {"true", {3, 3, 3}},
                                                                                          {"1", {3, 3, 3}},
                                                                                          {"", {3, 3, 3}}})
    EXPECT_EQ(values("out(i) = rightmost j [" + mask + "] pos(j) : 0", "abc"), expected) << mask;
}

TEST(ProgramText, PositionVariablesMayHaveAnyName) {
  EXPECT_THAT(values("out(x) = leftmost here [here > x, Q_b(here)] pos(here) : 0", "abab"), ElementsAre(2, 4, 4, 0));
}

TEST(ProgramText, CountsAndPrefixSumsOverEveryReach) {
  const auto count = [](const std::string& mask) { return values("out(i) = #[" + mask + "] Q_a(j)", "aaba"); };
  EXPECT_THAT(count("j <= i"), ElementsAre(1, 2, 2, 3));
  EXPECT_THAT(count("j < i"), ElementsAre(0, 1, 2, 2));
  EXPECT_THAT(count("j >= i"), ElementsAre(3, 2, 1, 1));
  EXPECT_THAT(count("j > i"), ElementsAre(2, 1, 1, 0));
  EXPECT_THAT(count("j"), ElementsAre(3, 3, 3, 3));
  EXPECT_THAT(values("out(i) = psum j [j > i] Q_a(j)", "aaba"), ElementsAre(2, 1, 1, 0));
  EXPECT_THAT(values("out(i) = psum j [j <= i, Q_a(j)] pos(j)", "abba"), ElementsAre(1, 1, 1, 5));
  EXPECT_THAT(values("out(i) = #[j <= i] Q_a(j) >= 2 and Q_b(i)", "aab"), ElementsAre(0, 0, 1));
}

TEST(ProgramText, ASumIsOverThePositionsOfItsMaskAndClippedOnce) {
  const auto sum = [](const std::string& mask) { return values("out(i) = psum j [" + mask + "] pos(j)", "aaaa"); };
  EXPECT_THAT(sum("j <= i"), ElementsAre(1, 3, 5, 5));
  EXPECT_THAT(sum("j < i"), ElementsAre(0, 1, 3, 5));
  EXPECT_THAT(sum("j >= i"), ElementsAre(5, 5, 5, 4));
  EXPECT_THAT(sum("j > i"), ElementsAre(5, 5, 4, 0));
  EXPECT_THAT(sum("true"), ElementsAre(5, 5, 5, 5));
  const auto balance = [](const std::string& mask) {
    return values("out(i) = psum j [" + mask + "] (Q_a(j) ? 1 : 0-1)", "bbaa");
  };
  EXPECT_THAT(balance("j > i"), ElementsAre(1, 2, 1, 0));
  EXPECT_THAT(balance("j >= i"), ElementsAre(0, 1, 2, 1));
  EXPECT_THAT(balance("j < i"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(balance("j <= i"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(sum("j <= i, false"), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(sum("j <= i, true"), ElementsAre(1, 3, 5, 5));
}

TEST(ProgramText, AStoredIntegerIsClippedAndAnExpressionIsNot) {
  EXPECT_THAT(values("out(i) = pos(i) - 2", "abc"), ElementsAre(0, 0, 1));
  EXPECT_THAT(values("out(i) = 3 * pos(i)", "abc"), ElementsAre(3, 4, 4));
  EXPECT_THAT(values("d(i) = pos(i) - 2\nout(i) = d(i) + 2 = pos(i)", "abc"), ElementsAre(0, 1, 1));
  EXPECT_THAT(values("out(i) = pos(i) - 2 + 2 = pos(i)", "abc"), ElementsAre(1, 1, 1));
  EXPECT_THAT(values("out(i) = 5", "a"), ElementsAre(2));
}

TEST(ProgramText, TheOutputIsOutOrTheLastVector) {
  EXPECT_THAT(values("p(i) = Q_a(i)\nq(i) = not p(i)", "ab"), ElementsAre(0, 1));
  EXPECT_THAT(values("out(i) = Q_a(i)\nq(i) = Q_b(i)", "ab"), ElementsAre(1, 0));
}

TEST(ProgramText, NamesOfTemporalOperatorsAreFree) {
  EXPECT_THAT(values("prev(i) = rightmost j [j < i] Q_a(j) : false\nlast(i) = prev(i)\nS(i) = last(i)", "ab"),
              ElementsAre(0, 1));
}

TEST(ProgramText, FunctionsTakeSymbolsBooleansAndPositions) {
  EXPECT_THAT(values("fun same(s, t) = s = t\nfun a_at(x) = Q_a(x)\nfun flip(p) = not p\n"
                     "out(i) = same(in(i), 'b') or flip(flip(a_at(i)))",
                     "abc"),
              ElementsAre(1, 1, 0));
}

TEST(ProgramDiagnostics, EveryCodeIsProvokedByItsOwnExample) {
  for (const Explanation& entry : all_explanations()) {
    if (entry.code < "E200" || entry.code >= "E300") continue;
    const std::vector<std::string> wrong = codes(entry.wrong);
    ASSERT_FALSE(wrong.empty()) << entry.code;
    for (const std::string& code : wrong) EXPECT_EQ(code, entry.code) << entry.wrong;
    EXPECT_THAT(codes(entry.right), ElementsAre()) << entry.code;
  }
}

TEST(ProgramDiagnostics, BadPrograms) {
  EXPECT_THAT(codes("out(i) = Q_a(i) and in(i)"), ElementsAre("E204"));
  EXPECT_THAT(codes("out(i) = pos(i) or true"), ElementsAre("E204"));
  EXPECT_THAT(codes("out(i) = in(i) < 'b'"), ElementsAre("E204"));
  EXPECT_THAT(codes("out(i) = Q_a(i) ? 'a' : 1"), ElementsAre("E205"));
  EXPECT_THAT(codes("out(i) = rightmost j [j < i] in(j) : false"), ElementsAre("E205"));
  EXPECT_THAT(codes("out(i) = p(i)"), ElementsAre("E202"));
  EXPECT_THAT(codes("p(i) = p(i)"), ElementsAre("E203"));
  EXPECT_THAT(codes("p(i) = q(i)\nq(i) = p(i)"), ElementsAre("E203"));
  EXPECT_THAT(codes("fun f(x) = f(x)\nout(i) = f(true)"), ElementsAre("E203"));
  EXPECT_THAT(codes("fun f(x) = g(x)\nfun g(x) = f(x)\nout(i) = f(true)"), ElementsAre("E203"));
  EXPECT_THAT(codes("p(i) = Q_a(i)\np(i) = Q_b(i)"), ElementsAre("E015"));
  EXPECT_THAT(codes("p(i) = Q_a(i)\nout(i) = p(i, i)"), ElementsAre("E206"));
  EXPECT_THAT(codes("p(i) = Q_a(i)\nout(i) = p(in(i))"), ElementsAre("E207"));
  EXPECT_THAT(codes("out(i) = Q_a(j)"), ElementsAre("E202"));
  EXPECT_THAT(codes("out(i) = rightmost j [j < i] Q_a(i) : Q_a(j)"), ElementsAre("E202"));
  EXPECT_THAT(codes("out(i) = rightmost j [Q_a(j), j < i] true : false"), ElementsAre("E207", "E207"));
  EXPECT_THAT(codes("out(i) = pos(i) * pos(i) > 1"), ElementsAre("E019"));
  EXPECT_THAT(codes("out(i) = #[j <= i] pos(j)"), ElementsAre("E204"));
  EXPECT_THAT(codes("out(i) = pos(i) > 9007199254740993"), ElementsAre("E007"));
  EXPECT_THAT(codes("in(i) = true"), ElementsAre("E016"));
  EXPECT_THAT(codes("out(i) = (Q_a(i)"), ElementsAre("E011"));
  EXPECT_THAT(codes("out(i) = Q_a"), ElementsAre("E207"));
  EXPECT_THAT(codes("out(i) = prev Q_a(i)"), ElementsAre("E010"));
  EXPECT_THAT(codes(""), ElementsAre("E213"));
  EXPECT_THAT(codes("alphabet {'a b', 'cd'}\nout(i) = true"), ElementsAre("E027"));
  EXPECT_THAT(codes("out(i) = Q_ab(i) ? \"c d\" : \"\""), ElementsAre("E027"));
  EXPECT_THAT(codes("out(i) = Q_a(i) ? \"c d\" : \"\""), ElementsAre());
  EXPECT_THAT(codes("p(i) = q(i)\nr(i) = in(i) and true\ns(i) = ("), ElementsAre("E202", "E204", "E009"));
}

TEST(ProgramDiagnostics, MisspellingsAreRecognised) {
  const std::string text = "before(i) = Q_a(i)\nout(i) = befroe(i)";
  const parse::ParsedProgram result = parse::parse_program(text);
  EXPECT_THAT(render(result.diagnostics, text, "text"), HasSubstr("did you mean `before`?"));
}

TEST(ProgramDepth, NestingOfAnyDepthGoesThrough) {
  constexpr int kDepth = 100'000;
  const std::vector<std::string> texts{"out(i) = " + repeated("(", kDepth) + "Q_a(i)" + repeated(")", kDepth),
                                       "out(i) = " + repeated("not ", kDepth) + "Q_a(i)",
                                       "out(i) = Q_a(i)" + repeated(" and Q_b(i) or Q_a(i)", kDepth / 2),
                                       "out(i) = " + repeated("Q_a(i) ? true : ", kDepth) + "Q_b(i)",
                                       "out(i) = " + repeated("Q_a(i) -> ", kDepth) + "Q_b(i)",
                                       "out(i) = 0 <= 1" + repeated(" + pos(i)", kDepth)};
  for (const std::string& text : texts) {
    const lang::Program program = parsed(text);
    EXPECT_EQ(oracle::evaluate(program, {0, 0}).size(), 2u);
    EXPECT_EQ(lang::print(parsed(lang::print(program))), lang::print(program));
  }
  for (const char* opener : {"(", "not ", "f(", "Q_a(i) ? ", "#[j <= i] ", "-"})
    EXPECT_FALSE(codes("out(i) = " + repeated(opener, kDepth)).empty()) << opener;
  std::string calls = "fun f0(p) = p\n";
  for (int k = 1; k < 1000; ++k) calls += "fun f" + std::to_string(k) + "(p) = f" + std::to_string(k - 1) + "(p)\n";
  EXPECT_THAT(codes(calls + "out(i) = f999(true)"), ElementsAre("E212"));
}

TEST(ProgramDepth, RandomTextNeverCrashes) {
  Random random(1);
  const std::vector<std::string> pieces{"out(i) = ",
                                        "rightmost j [",
                                        "j < i",
                                        "]",
                                        "in(j)",
                                        " : ",
                                        "'a'",
                                        "\n",
                                        "fun f(x) = ",
                                        "(",
                                        ")",
                                        "f(",
                                        " and ",
                                        " ? ",
                                        "pos(i)",
                                        "psum j [",
                                        "#[j <= i] ",
                                        "{",
                                        "}",
                                        ",",
                                        "\"ab\"",
                                        "not ",
                                        "Q_a(",
                                        "i",
                                        "j",
                                        "=",
                                        "1",
                                        "+",
                                        "*",
                                        "alphabet ",
                                        ";",
                                        "0.5",
                                        "score['a'](i) = ",
                                        "mean j [",
                                        "\xff"};
  for (int k = 0; k < 20'000; ++k) {
    std::string text;
    for (std::size_t n = random.below(20); n > 0; --n) text += pieces[random.below(pieces.size())];
    const parse::ParsedProgram result = parse::parse_program(text);
    EXPECT_EQ(result.program.has_value(), result.diagnostics.empty()) << text;
  }
}

}  // namespace
}  // namespace quench
