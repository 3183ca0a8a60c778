// Random programs of every sort, three ways: by the second interpreter, which reads the text and shares nothing with
// the parser; by the oracle; and by the networks. Zero differences and no error that is ours.
#include "base/error.h"
#include "lower/program/program_check.h"
#include "parse/parse_program.h"
#include "support/examples.h"
#include "support/paths.h"
#include "support/program_interpreter.h"
#include "lang/random_program.h"

namespace quench {
namespace {

std::vector<std::string> texts(const Alphabet& alphabet, const Word& word) {
  std::vector<std::string> result;
  for (const Symbol s : word)
    result.push_back(s == kUnmentioned ? alphabet.unmentioned() : alphabet.symbols()[static_cast<std::size_t>(s)]);
  return result;
}

/// Whether a value of the oracle is what the text means. Scores are rounded to a millionth.
bool same(const lang::Rule& rule, std::int64_t value, const test::Value& meant) {
  switch (lang::output_sort(rule)) {
    case lang::Sort::symbol:
    case lang::Sort::string:
      return oracle::symbols_of(rule, value) == meant.symbols;
    case lang::Sort::score: {
      const Int128 difference = 2 * (static_cast<Int128>(value) * meant.number.q - 1'000'000 * meant.number.p);
      return (difference < 0 ? -difference : difference) <= meant.number.q + meant.number.q / 1000;
    }
    default:
      return value == meant.number.p;
  }
}

void expect_meaning(const std::string& text, const lang::Rule& rule, test::ProgramInterpreter& interpreter,
                    const Word& word) {
  const Alphabet& alphabet = lang::alphabet(rule);
  const oracle::Values values = oracle::evaluate(rule, word);
  const std::vector<test::Value> meant = interpreter.run(texts(alphabet, word));
  bool right = values.size() == meant.size();
  for (std::size_t k = 0; right && k < values.size(); ++k) right = same(rule, values[k], meant[k]);
  EXPECT_TRUE(right) << text << "on " << alphabet.print(word) << ": the oracle says "
                     << ::testing::PrintToString(values);
}

/// All words up to a length and some longer ones.
std::vector<Word> words_for(const lang::Program& program, Random& random, std::size_t longest) {
  const std::size_t symbols = program.alphabet.size();
  std::vector<Word> words;
  test::for_all_words(symbols, true, symbols <= 2 ? longest : 3, [&](const Word& word) { words.push_back(word); });
  for (std::size_t n : {5, 6, 9, 14, 20}) words.push_back(random_word(random, symbols, random.chance(0.5), n));
  return words;
}

struct Tally {
  int compared = 0, refused = 0, words = 0;
};

void check_random_programs(std::uint64_t first, std::uint64_t count, std::size_t longest, Tally& tally) {
  for (std::uint64_t k = first; k < first + count && !::testing::Test::HasFailure(); ++k) {
    Random random(k);
    const std::string text = lang::RandomProgram(random, lang::RandomProgram::Class::srasp).text();
    SCOPED_TRACE("program " + std::to_string(k) + "\n" + text);
    parse::ParsedProgram parsed = parse::parse_program(text);
    ASSERT_TRUE(parsed.program) << render(parsed.diagnostics, text, "text");
    const lang::Rule rule(*parsed.program);
    test::ProgramInterpreter interpreter(text);
    const std::vector<Word> words = words_for(*parsed.program, random, longest);
    for (const Word& word : words) expect_meaning(text, rule, interpreter, word);
    try {
      test::ProgramCheck check(*parsed.program);
      for (const Word& word : words) check.expect_right_by_every_engine_on(word), ++tally.words;
      ++tally.compared;
    } catch (const DiagnosticError& error) {
      const std::string& code = error.diagnostics.at(0).code;
      EXPECT_TRUE(code == "E121" || code == "E126") << code;
      ++tally.refused;
    }
  }
}

TEST(RandomPrograms, MeanWhatTheirTextSaysAndSoDoTheirNetworks) {
  Tally tally;
  check_random_programs(100'000, 200, 3, tally);
  EXPECT_LT(tally.refused, 20);
}

/// Ten thousand, in four parts.
class SlowRandomPrograms : public ::testing::TestWithParam<std::uint64_t> {};
TEST_P(SlowRandomPrograms, MeanWhatTheirTextSaysAndSoDoTheirNetworks) {
  Tally tally;
  check_random_programs(2500 * GetParam(), 2500, 4, tally);
  EXPECT_LT(tally.refused, 250);
  std::printf("%d programs compared on %d words, %d refused\n", tally.compared, tally.words, tally.refused);
}
INSTANTIATE_TEST_SUITE_P(TenThousand, SlowRandomPrograms, ::testing::Range<std::uint64_t>(0, 4));

/// Not even a weight differs, so that a model's source stands for it.
void expect_same_network(const lang::Program& first, const lang::Program& again) {
  try {
    EXPECT_TRUE(driver::compile(first).model == driver::compile(again).model);
  } catch (const DiagnosticError&) {
    EXPECT_THROW(driver::compile(again), DiagnosticError);
  }
}

TEST(RandomPrograms, PrintedAndParsedAgainTheyAreTheSame) {
  for (std::uint64_t k = 0; k < 300 && !HasFailure(); ++k) {
    Random random(k);
    const std::string text = lang::RandomProgram(random, lang::RandomProgram::Class::srasp).text();
    SCOPED_TRACE(text);
    const parse::ParsedProgram first = parse::parse_program(text);
    ASSERT_TRUE(first.program);
    const std::string printed = lang::print(*first.program);
    const parse::ParsedProgram again = parse::parse_program(printed);
    ASSERT_TRUE(again.program) << render(again.diagnostics, printed, "text");
    EXPECT_EQ(lang::print(*again.program), printed);
    EXPECT_EQ(first.program->output_sort(), again.program->output_sort()) << printed;
    expect_same_network(*first.program, *again.program);
    const lang::Rule rule(*again.program);
    test::ProgramInterpreter interpreter(text);
    for (const Word& word : words_for(*first.program, random, 2)) expect_meaning(printed, rule, interpreter, word);
  }
}

TEST(RandomPrograms, TheExamplesMeanWhatTheirTextSays) {
  int programs = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs"))) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".srasp" && extension != ".brasp") continue;
    const std::string text = test::read_text(entry.path());
    SCOPED_TRACE(entry.path().filename().string());
    const lang::Rule rule(driver::parse_program(text));
    test::ProgramInterpreter interpreter(text);
    Random random(1);
    for (int k = 0; k < 40; ++k)
      expect_meaning("", rule, interpreter,
                     random_word(random, lang::alphabet(rule).size(), random.chance(0.3), 1 + random.below(12)));
    ++programs;
  }
  EXPECT_GE(programs, 40);
}

}  // namespace
}  // namespace quench
