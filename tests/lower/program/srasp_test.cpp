// S-RASP: every operation alone for N = 1 … 40, with soft and with hard attention; the errata by name.
#include <gmock/gmock.h>

#include "lower/program/program_check.h"
#include "support/examples.h"
#include "support/paths.h"

namespace quench {
namespace {

using test::ProgramCheck;

/// Words of every length up to 40: sparse, dense, constant and random.
void check_operation(const std::string& text) {
  SCOPED_TRACE(text);
  const lang::Program program = driver::parse_program(text);
  ASSERT_FALSE(program.is_brasp());
  ProgramCheck check(program);
  const Symbol symbols = static_cast<Symbol>(program.alphabet.size());
  check.expect_right_to(3);
  Random random(1);
  for (std::size_t n = 1; n <= 40; ++n) {
    for (Symbol s = 0; s < symbols; ++s) check.expect_right_on(Word(n, s));
    check.expect_right_on(random_word(random, static_cast<std::size_t>(symbols), true, n));
    check.expect_right_on(random_word(random, static_cast<std::size_t>(symbols), false, n));
    Word sparse(n, 0);
    sparse[random.below(n)] = symbols - 1;
    check.expect_right_on(sparse);
  }
}

const std::string kSymbols = "alphabet {'a', 'b'}\n";

TEST(SraspOperation, Positions) {
  check_operation(kSymbols + "out(i) = pos(i)");
  check_operation(kSymbols + "out(i) = rightmost j [true] pos(j) : 0");
}

TEST(SraspOperation, ComparisonsOfEveryRelation) {
  for (const char* relation : {"<", "<=", ">", ">=", "=", "!="}) {
    check_operation(kSymbols + "last(i) = rightmost j [true] pos(j) : 0\nout(i) = pos(i) " + relation +
                    " last(i) - pos(i)");
    check_operation(kSymbols + "out(i) = pos(i) " + relation + " 3");
  }
}

/// A word of every length around the constant, as far as words can be that long here.
void check_around(const std::string& text, std::size_t constant) {
  SCOPED_TRACE(text);
  ProgramCheck check(driver::parse_program(text));
  Random random(constant);
  for (std::size_t n : {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{5}, std::size_t{12}, constant - 1,
                        constant, constant + 1})
    if (n >= 1 && n <= 1002) check.expect_right_on(random_word(random, 2, true, n));
}

TEST(SraspOperation, PositionsAgainstConstantsOfEverySize) {
  for (const std::size_t constant : {4ul, 5ul, 7ul, 9ul, 30ul, 100ul, 999ul, 1000ul, 1001ul, 70000ul, 1ul << 30,
                                     (1ul << 30) + 1, 1ul << 31, 1ul << 53})
    for (const char* relation : {"<", "<=", ">", ">=", "=", "!="}) {
      const std::string number = std::to_string(constant), compare = std::string(" ") + relation + " ";
      check_around(kSymbols + "out(i) = pos(i)" + compare + number, constant);
      check_around(kSymbols + "out(i) = Q_b(i) and -" + number + compare + "-pos(i)", constant);
    }
}

TEST(SraspOperation, StoredIntegersAgainstConstantsOfEverySize) {
  const std::string last = kSymbols + "last(i) = rightmost j [true] pos(j) : 0\nc(i) = 2 * pos(i) - last(i)\nout(i) = ";
  for (const std::size_t constant : {0ul, 1ul, 4ul, 9ul, 30ul, 1001ul, 1ul << 30, (1ul << 30) + 2, 1ul << 53})
    for (const char* relation : {"<", ">=", "="}) {
      const std::string number = std::to_string(constant), compare = std::string(" ") + relation + " ";
      check_around(last + "c(i)" + compare + number, constant);
      check_around(last + "c(i)" + compare + "(Q_a(i) ? " + number + " : 3 - " + number + ")", constant);
    }
}

/// A lookup by a number, not by a vector: the condition is of j alone.
TEST(SraspOperation, AttentionToAConstantPosition) {
  for (const std::size_t constant : {1ul, 4ul, 5ul, 12ul, 1001ul, 1ul << 31})
    for (const char* side : {"leftmost", "rightmost"}) {
      const std::string number = std::to_string(constant);
      check_around(kSymbols + "out(i) = " + side + " j [" + number + " = pos(j)] in(j) : '?'", constant);
      check_around(kSymbols + "out(i) = " + side + " j [j <= i, pos(j) >= " + number + "] pos(j) : 2", constant);
    }
}

TEST(SraspOperation, GreatNumbersAreStoredChosenAndSoughtAsTheyAre) {
  const std::string great = "9007199254740992";
  const std::vector<std::string> texts{
      "out(i) = " + great,
      "out(i) = -" + great,
      "out(i) = Q_a(i) ? " + great + " : pos(i) - 2",
      "out(i) = Q_a(i) ? Q_b(i) ? 3 : -" + great + " : " + great,
      "out(i) = leftmost j [j > i, Q_a(j)] " + great + " : pos(i)",
      "out(i) = leftmost j [j > i, Q_a(j)] pos(j) : Q_b(i) ? " + great + " : 1",
      "out(i) = rightmost j [pos(j) = " + great + " - pos(i)] in(j) : '?'",
      "out(i) = pos(i) + 4503599627370496 > 3 * pos(i)",
      "c(i) = 2 * pos(i)\nout(i) = rightmost j [c(j) = 4503599627370496 + pos(i)] in(j) : '?'",
      "c(i) = 2 * pos(i)\nout(i) = rightmost j [c(j) = 1000000 * pos(i) - 999997] in(j) : '?'",
      "out(i) = rightmost j [pos(j) = 1000000 * pos(i) - 1999997] in(j) : '?'"};
  for (const std::string& text : texts) check_around(kSymbols + text, 20);
}

TEST(Srasp, NumbersThatADoubleCannotTellApartAreReported) {
  for (const char* text :
       {"out(i) = psum j [j <= i] 5000000000", "out(i) = pos(i) + 5000000000 * Q_a(i) - 5000000000 * Q_b(i) >= 2",
        "c(i) = pos(i)\nout(i) = rightmost j [c(j) = 5000000000 * (pos(i) - 2)] Q_a(j) : false"}) {
    try {
      driver::compile(driver::parse_program(text));
      ADD_FAILURE() << text;
    } catch (const DiagnosticError& error) {
      EXPECT_EQ(error.diagnostics.at(0).code, "E126") << text;
    }
  }
}

TEST(SraspOperation, SumsDifferencesAndClipping) {
  check_operation(kSymbols + "out(i) = pos(i) + pos(i)");
  check_operation(kSymbols + "out(i) = pos(i) - 3");
  check_operation(kSymbols + "out(i) = 5");
  check_operation(kSymbols + "last(i) = rightmost j [true] pos(j) : 0\nout(i) = last(i) + 1 - pos(i)");
  check_operation(kSymbols + "d(i) = pos(i) - 2\nout(i) = d(i) + 2 = pos(i)");
}

TEST(SraspOperation, PrefixSums) {
  check_operation("out(i) = psum j [j <= i] Q_a(j)\nalphabet {'b'}");
  check_operation("out(i) = psum j [j < i] Q_a(j)\nalphabet {'b'}");
  check_operation("out(i) = psum j [j >= i] Q_a(j)\nalphabet {'b'}");
  check_operation("out(i) = psum j [true] Q_a(j)\nalphabet {'b'}");
  check_operation("out(i) = #[j > i] Q_b(j) >= #[j <= i] Q_a(j)");
}

TEST(SraspOperation, SumsOfSignedIntegersUnderEveryMask) {
  for (const char* mask : {"true", "j < i", "j <= i", "j > i", "j >= i"}) {
    const std::string sum = kSymbols + "out(i) = psum j [" + mask + "] ";
    check_operation(sum + "pos(j)");
    check_operation(sum + "(Q_a(j) ? 1 : 0 - 1)");
    check_operation(sum + "(Q_a(j) ? pos(j) : Q_b(j) ? 3 - pos(j) : -2)");
  }
}

TEST(SraspOperation, SumsUnderAMaskAndAConditionArePositionsThatSatisfyBoth) {
  check_operation(kSymbols + "out(i) = psum j [j > i, not Q_b(j)] pos(j)");
  check_operation(kSymbols + "c(i) = psum j [j < i] pos(j)\nout(i) = leftmost j [j >= i, c(j) = 3] c(j) - 1 : c(i)");
}

TEST(SraspOperation, PrefixSumsOfIntegersAreClippedOnceAtTheEnd) {
  check_operation("out(i) = psum j [j <= i] (Q_a(j) ? pos(j) : 0 - 2)\nalphabet {'b'}");
  check_operation("out(i) = psum j [j <= i] 2\nalphabet {'a'}");
}

TEST(SraspOperation, Conditionals) {
  check_operation("out(i) = Q_a(i) ? pos(i) : 2\nalphabet {'b'}");
  check_operation("out(i) = (Q_a(i) ? pos(i) : 0 - 3) + 1\nalphabet {'b'}");
}

TEST(SraspOperation, LookupsByPosition) {
  check_operation(kSymbols + "t(i) = pos(i) + 2\nout(i) = rightmost j [true, pos(j) = t(i)] in(j) : '?'");
  check_operation(kSymbols + "out(i) = leftmost j [true, pos(j) = 2 * pos(i)] pos(j) : 0");
}

TEST(SraspOperation, EqualityAttentionUnderEveryMaskWithTies) {
  for (const char* side : {"leftmost", "rightmost"})
    for (const char* mask : {"true", "j < i", "j <= i", "j > i", "j >= i"}) {
      const std::string head = std::string(side) + " j [" + mask;
      check_operation("c(i) = psum j [j <= i] Q_a(j)\nd(i) = psum j [j >= i] Q_b(j)\nout(i) = " + head +
                      ", c(j) = d(i)] pos(j) : 0");
      check_operation("c(i) = psum j [j <= i] Q_a(j)\nout(i) = " + head +
                      ", Q_b(j) or Q_a(i), c(i) = c(j)] in(j) : '?'");
      check_operation("alphabet {'b'}\nout(i) = " + head + ", Q_a(j)] pos(j) : 0");
    }
}

TEST(SraspOperation, LookupsByPositionUnderEveryMask) {
  for (const char* mask : {"true", "j < i", "j <= i", "j > i", "j >= i"})
    for (const char* side : {"leftmost", "rightmost"}) {
      const std::string head = std::string(side) + " j [" + mask;
      check_operation("c(i) = psum j [j <= i] Q_a(j)\nout(i) = " + head +
                      ", pos(j) = c(i)] in(j) : '?'\nalphabet {'b'}");
      check_operation("c(i) = psum j [j <= i] Q_a(j)\nout(i) = " + head +
                      ", Q_b(j) xor Q_a(i), pos(j) = 2 * c(i) - 1] pos(j) : pos(i)");
    }
}

TEST(SraspOperation, TheNearestTheFirstAndTheLastPosition) {
  for (const char* mask : {"true", "j < i", "j <= i", "j > i", "j >= i"})
    for (const char* side : {"leftmost", "rightmost"}) {
      const std::string head = kSymbols + "out(i) = " + side + " j [" + mask + "] ";
      check_operation(head + "pos(j) : 0");
      check_operation(head + "pos(i) : 3");
      check_operation(kSymbols + "c(i) = psum j [j <= i] Q_a(j)\nout(i) = " + side + " j [" + mask + "] c(j) : pos(i)");
      check_operation(kSymbols + "p(i) = pos(i) > 2\nout(i) = " + side + " j [" + mask + "] p(j) : Q_a(i)");
    }
}

TEST(SraspOperation, PositionsAgainstNumbersThatAreFew) {
  for (const char* relation : {"<", "<=", ">", ">=", "=", "!="}) {
    const std::string compare = std::string(" ") + relation + " ";
    check_operation("out(i) = pos(i)" + compare + "Q_a(i) + 2 * Q_b(i) - 1");
    check_operation("out(i) = 3 - Q_a(i)" + compare + "pos(i)\nalphabet {'b'}");
    check_operation(kSymbols + "out(i) = pos(i)" + compare + "0");
  }
}

TEST(SraspOperation, ComparisonsOfCountsOfEveryRelation) {
  for (const char* relation : {"<", "<=", ">", ">=", "=", "!="}) {
    const std::string compare = std::string(" ") + relation + " ";
    check_operation("out(i) = #[j <= i] Q_a(j)" + compare + "#[j <= i] Q_b(j)");
    check_operation("out(i) = 2 * #[j <= i] Q_a(j) + Q_b(i)" + compare + "pos(i) - 1");
    check_operation("out(i) = #[j] Q_a(j)" + compare + "#[j] Q_b(j) + 1");
    check_operation("out(i) = #[j] Q_a(j)" + compare + "#[j < i] Q_b(j)");
  }
}

TEST(SraspOperation, NestedConditionals) {
  check_operation("c(i) = #[j] Q_a(j)\nout(i) = Q_a(i) ? (c(i) > 2 ? c(i) : 1) : Q_b(i) ? 0 - 1 : pos(i) - c(i)");
}

TEST(SraspOperation, AStoredIntegerOfNPlusOneIsFound) {
  check_operation(kSymbols + "top(i) = pos(i) + pos(i)\nout(i) = leftmost j [true, top(j) = top(i)] pos(j) : 0");
}

TEST(Erratum, PsumSumsOverTheIndexItBinds) {
  EXPECT_THROW(driver::parse_program("s(i) = psum j [j <= i] Q_a(i)"), DiagnosticError);
}

TEST(Erratum, TheMaskOfCheckIsStrict) {
  const std::string path = test::source_path("examples/programs/dyck_1.srasp");
  std::string text = test::read_text(path);
  const lang::Program right = driver::parse_program(text);
  text.replace(text.find("[j < i, d(j)"), 6, "[j <= i");
  const lang::Program wrong = driver::parse_program(text);
  int different = 0;
  test::for_all_words(2, false, 4, [&](const Word& word) {
    different += oracle::evaluate(right, word).back() != oracle::evaluate(wrong, word).back();
  });
  EXPECT_GT(different, 0);
}

TEST(Erratum, InductionHeadOnAa) {
  const lang::Program program =
      driver::parse_program(test::read_text(test::source_path("examples/programs/induction_head.brasp")));
  const oracle::Values values = oracle::evaluate(program, program.alphabet.parse("aa"));
  EXPECT_EQ(values.back(), program.alphabet.find("a"));
}

/// With j <= i instead, the mask finds j = i itself, so every closing bracket is its own partner.
TEST(Erratum, WithTheWrongMaskNoClosingBracketIsAccepted) {
  std::string text = test::read_text(test::source_path("examples/programs/dyck_1.srasp"));
  const lang::Program right = driver::parse_program(text);
  text.replace(text.find("[j < i, d(j)"), 6, "[j <= i");
  const lang::Program wrong = driver::parse_program(text);
  EXPECT_EQ(oracle::evaluate(right, right.alphabet.parse("()")).back(), 1);
  EXPECT_EQ(oracle::evaluate(wrong, wrong.alphabet.parse("()")).back(), 0);
}

/// Feeding the output string of one hop back into the induction head is another function than hopping on positions.
TEST(Erratum, KHopRunsOnPositionsNotOnTheOutputString) {
  const auto program = [](const char* name) {
    return driver::parse_program(test::read_text(test::source_path("examples/programs/") + name));
  };
  const lang::Program hop1 = program("induction_head.brasp"), hop2 = program("k_hop_2.brasp");
  const auto letters = [](const lang::Program& p, const std::string& word) {
    std::string out;
    for (const std::int64_t value : oracle::evaluate(p, p.alphabet.parse(word)))
      out += p.alphabet.symbols()[static_cast<std::size_t>(value)];
    return out;
  };
  EXPECT_EQ(letters(hop2, "abab"), "???b");
  int different = 0;
  test::for_all_words(2, false, 6, [&](const Word& word) {
    const std::string text = hop2.alphabet.print(word);
    different += letters(hop1, letters(hop1, text)) != letters(hop2, text);
  });
  EXPECT_GT(different, 0);
}

/// A stored difference below 0 is 0: in Dyck, where there are more closing brackets than opening ones.
TEST(Erratum, StoredIntegersAreClippedToZeroAndNPlusOne) {
  const lang::Program low = driver::parse_program("d(i) = #[j <= i] Q_a(j) - #[j <= i] Q_b(j)\nout(i) = d(i)");
  EXPECT_EQ(oracle::evaluate(low, low.alphabet.parse("bba")), (oracle::Values{0, 0, 0}));
  const lang::Program high = driver::parse_program("d(i) = 3 * pos(i)\nout(i) = d(i)\nalphabet {'a'}");
  EXPECT_EQ(oracle::evaluate(high, high.alphabet.parse("aaa")), (oracle::Values{3, 4, 4}));
  ProgramCheck(low).expect_right_to(6);
  ProgramCheck(high).expect_right_to(6);
}

/// psum over in(j), not in(i): the paper's text sums a value at i, which would be i times it.
TEST(Erratum, PsumCountsWhatStandsAtTheIndexItBinds) {
  const lang::Program program = driver::parse_program("out(i) = psum j [j <= i] Q_a(j)\nalphabet {'b'}");
  EXPECT_EQ(oracle::evaluate(program, program.alphabet.parse("abba")), (oracle::Values{1, 1, 1, 2}));
}

TEST(Erratum, OnePositionIsEnough) {
  for (const char* text : {"out(i) = pos(i) >= 2", "out(i) = psum j [j <= i] Q_a(j)", "out(i) = #[j <= i] Q_a(j) = 0",
                           "c(i) = psum j [j <= i] Q_a(j)\nout(i) = rightmost j [true, c(j) = 1 - c(i)] true : false",
                           "c(i) = 0\nout(i) = rightmost j [j < i, c(j) = c(i)] true : false"})
    ProgramCheck(driver::parse_program(text)).expect_right_to(2);
}

TEST(Srasp, IntegersOfTwoPositionsAreReported) {
  for (const char* text : {"out(i) = rightmost j [true, pos(j) < pos(i)] true : false",
                           "out(i) = rightmost j [true, pos(j) + 1 = pos(i)] true : false",
                           "out(i) = rightmost j [true, pos(j) = pos(i) or Q_a(j)] true : false",
                           "out(i) = rightmost j [true] pos(i) = pos(j) : false"}) {
    try {
      driver::compile(driver::parse_program(text));
      ADD_FAILURE() << text;
    } catch (const DiagnosticError& error) {
      EXPECT_EQ(error.diagnostics.at(0).code, "E125") << text;
    }
  }
}

}  // namespace
}  // namespace quench
