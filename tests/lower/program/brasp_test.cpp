// B-RASP: random programs through parser, printer, interpreter, network and both translations.
#include "lang/random_formula.h"
#include "lower/program/program_check.h"
#include "lower/translate/translate.h"
#include "oracle/evaluate.h"
#include "parse/parse_program.h"
#include "lang/random_program.h"

namespace quench {
namespace {

using test::ProgramCheck;

lang::Program random_program(Random& random) {
  const std::string text = lang::RandomProgram(random).text();
  parse::ParsedProgram parsed = parse::parse_program(text);
  EXPECT_TRUE(parsed.program) << render(parsed.diagnostics, text, "text");
  return parsed.program ? std::move(*parsed.program) : driver::parse_program("p(i) = true");
}

void check_random_programs(std::uint64_t seed, int count, const lower::RecipeOptions& options) {
  Random random(seed);
  for (int k = 0; k < count && !::testing::Test::HasFailure(); ++k) {
    ProgramCheck check(random_program(random), options);
    check.expect_right_to(6);
    check.expect_right_at_random(random, 3, 100);
  }
}

TEST(Brasp, RandomProgramsEqualTheInterpreter) { check_random_programs(1, 100, {}); }
TEST(Brasp, SlowManyRandomProgramsEqualTheInterpreter) { check_random_programs(2, 2000, {}); }

TEST(Brasp, SharpenedByPositionTooTheyEqualTheInterpreter) {
  lower::RecipeOptions options;
  options.sharpen = lower::Sharpen::position;
  check_random_programs(3, 40, options);
}

TEST(Brasp, OneHeadPerAttentionAndOneForEachDirectionOfCopies) {
  const auto heads = [](const char* text) { return driver::compile(driver::parse_program(text)).model.head_count(); };
  EXPECT_EQ(heads("out(i) = rightmost j [j <= i, Q_a(j)] Q_b(j) or Q_a(i) : Q_b(i)"), 1u);
  EXPECT_EQ(heads("out(i) = leftmost j [true, in(i) = in(j)] Q_b(j) : false"), 1u);
  EXPECT_EQ(heads("out(i) = rightmost j [j < i, Q_a(j) xor Q_b(i)] Q_b(j) : Q_b(i)"), 2u);
}

TEST(Brasp, UsesItsTemperatureAndPositionEncodingsOnly) {
  Random random(4);
  for (int k = 0; k < 30; ++k) {
    const ProgramCheck check(random_program(random));
    for (const model::PositionEncoding& pe : check.model().position_encodings)
      EXPECT_TRUE(pe.formula.kind == PositionFormula::Kind::index_over_length ||
                  pe.formula.kind == PositionFormula::Kind::alternating);
    for (const model::Layer& layer : check.model().layers)
      for (const model::Head& head : layer.heads) {
        EXPECT_EQ(head.temperature, Temperature::inverse_n);
        EXPECT_TRUE(head.mask == Mask::none || head.mask == Mask::future || head.mask == Mask::past);
      }
  }
}

TEST(Brasp, PrintingAndParsingAgainGivesTheSameProgram) {
  Random random(5);
  for (int k = 0; k < 300; ++k) {
    const lang::Program program = random_program(random);
    const std::string printed = lang::print(program);
    parse::ParsedProgram again = parse::parse_program(printed);
    ASSERT_TRUE(again.program) << render(again.diagnostics, printed, "text");
    EXPECT_EQ(lang::print(*again.program), printed);
    for (int w = 0; w < 10; ++w) {
      const Word word = random_word(random, 2, true, 1 + random.below(8));
      EXPECT_EQ(oracle::evaluate(program, word), oracle::evaluate(*again.program, word)) << printed;
    }
  }
}

TEST(Brasp, StrictMasksAtTheEdgesAndOnePosition) {
  for (const char* text :
       {"out(i) = rightmost j [j < i] true : false", "out(i) = leftmost j [j < i] Q_a(j) : Q_a(i)",
        "out(i) = leftmost j [j > i] true : false", "out(i) = rightmost j [j > i] Q_a(j) : Q_a(i)",
        "out(i) = rightmost j [j < i, false] true : Q_a(i)", "out(i) = leftmost j [] Q_a(j) : false"})
    ProgramCheck(driver::parse_program(text)).expect_right_to(6);
}

TEST(Brasp, SmallSumsOfTruthValuesAreBrasp) {
  ProgramCheck(driver::parse_program("two(i) = Q_a(i) + 2 * Q_b(i)\nout(i) = true")).expect_right_to(2);
  const lang::Program program =
      driver::parse_program("y(i) = rightmost j [j <= i, Q_a(i) + Q_a(j) + Q_b(j) >= 2] Q_a(j) : Q_b(i) = 1");
  EXPECT_TRUE(program.is_brasp());
  ProgramCheck(program).expect_right_to(5);
}

TEST(Brasp, TooManyCasesOfTheQueryAreReported) {
  std::string text = "x0(i) = rightmost j [j < i, Q_a(j)] Q_b(j) : false\n";
  std::string sum = "false";
  for (int k = 1; k < 14; ++k) {
    text += "x" + std::to_string(k) + "(i) = rightmost j [j < i, x" + std::to_string(k - 1) + "(j)] Q_b(j) : Q_a(i)\n";
    sum += " or x" + std::to_string(k) + "(i) and x" + std::to_string(k) + "(j)";
  }
  try {
    driver::compile(driver::parse_program(text + "out(i) = rightmost j [j <= i, " + sum + "] true : false"));
    ADD_FAILURE() << "compiled";
  } catch (const DiagnosticError& error) {
    EXPECT_EQ(error.diagnostics.at(0).code, "E121");
  }
}

TEST(Translation, BraspToLtlMeansTheSame) {
  Random random(6);
  int translated = 0;
  for (int k = 0; k < 150; ++k) {
    const lang::Program program = random_program(random);
    if (program.output_sort() != lang::Sort::boolean) continue;
    const lang::Formula formula = lower::to_ltl(program);
    ++translated;
    test::for_all_words(2, true, 4, [&](const Word& word) {
      const auto truth = oracle::evaluate(formula, word);
      EXPECT_EQ(oracle::evaluate(program, word), oracle::Values(truth.begin(), truth.end())) << lang::print(program);
    });
    if (HasFailure()) return;
  }
  EXPECT_GT(translated, 80);
}

TEST(Translation, LtlToBraspMeansTheSameAndBackAgain) {
  Random random(7);
  for (int k = 0; k < 150; ++k) {
    lang::RandomFormulaOptions options;
    options.fragment = {};
    options.fragment.previous = options.fragment.next = options.fragment.since = options.fragment.until = true;
    options.fragment.count_left = options.fragment.count_right = options.fragment.count_all = false;
    options.fragment.position_predicate = options.fragment.count_predicate = false;
    options.symbols = 2;
    options.operators = 1 + static_cast<int>(random.below(7));
    const lang::Formula formula = lang::random_formula(random, options);
    const lang::Program program = lower::to_brasp(formula);
    const parse::ParsedProgram printed = parse::parse_program(lang::print(program));
    ASSERT_TRUE(printed.program) << lang::print(program);
    test::for_all_words(2, true, 4, [&](const Word& word) {
      const auto truth = oracle::evaluate(formula, word);
      const oracle::Values expected(truth.begin(), truth.end());
      EXPECT_EQ(oracle::evaluate(program, word), expected) << lang::print(program);
      EXPECT_EQ(oracle::evaluate(*printed.program, word), expected) << lang::print(program);
    });
    if (k % 10 == 0) ProgramCheck(program).expect_right_to(4);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace quench
