// Every program of examples/programs against its independent definition; against the lines of its
// comment; and as a network.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "lower/program/program_check.h"
#include "lower/program/program_definitions.h"
#include "support/examples.h"
#include "support/paths.h"
#include "verify/verify.h"

namespace quench {
namespace {

using test::Letters;
using test::ProgramCheck;
using Case = test::ProgramDefinition;

struct ProgramExample {
  std::string name, text;
};

std::vector<ProgramExample> program_examples() {
  std::vector<ProgramExample> found;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_path("examples/programs")))
    found.push_back({entry.path().stem().string(), test::read_text(entry.path())});
  std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return found;
}

/// The interpreter's answer as the definitions write it.
std::string text_of(const lang::Rule& rule, const oracle::Values& values) {
  const lang::Sort sort = lang::output_sort(rule);
  if (sort == lang::Sort::boolean) return test::truth(values.back() != 0);
  if (sort == lang::Sort::score) {
    const auto symbols = oracle::score_symbols(rule);
    std::string text;
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto& of = symbols[k % symbols.size()];
      text += k == 0 ? "" : !of.empty() && k % symbols.size() == 0 ? " | " : " ";
      text += (of.empty() ? "" : of[0] + ":") + lang::score_text(values[k]);
    }
    return text;
  }
  if (sort == lang::Sort::integer) return test::numbers({values.begin(), values.end()});
  std::string text;
  for (const std::int64_t value : values)
    for (const std::string& symbol : oracle::symbols_of(rule, value)) text += symbol.empty() ? "?" : symbol;
  return text;
}

std::string answer(const lang::Rule& rule, const Letters& letters) {
  const oracle::Values values = oracle::evaluate(rule, lang::alphabet(rule).parse(letters));
  return text_of(rule, values);
}

/// The same for a word of one-letter symbols, however the program's other symbols are written.
std::string answer_to_letters(const lang::Rule& rule, const Letters& letters) {
  Word word;
  for (const char c : letters) word.push_back(lang::alphabet(rule).find(std::string(1, c)));
  return text_of(rule, oracle::evaluate(rule, word));
}

class EveryProgram : public ::testing::TestWithParam<ProgramExample> {};

TEST_P(EveryProgram, AnswersAsItsCommentSays) {
  const lang::Rule rule = driver::parse_program(GetParam().text);
  std::istringstream lines(GetParam().text);
  int claims = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto after = [&](const std::string& key) { return line.substr(key.size()); };
    if (line.starts_with("// accepts: ")) {
      EXPECT_EQ(answer(rule, after("// accepts: ")), "1") << line;
    }
    if (line.starts_with("// rejects: ")) {
      EXPECT_EQ(answer(rule, after("// rejects: ")), "0") << line;
    }
    if (line.starts_with("// maps: ")) {
      const std::size_t arrow = line.find(" -> ");
      EXPECT_EQ(answer(rule, line.substr(9, arrow - 9)), line.substr(arrow + 4)) << line;
    }
    claims += line.starts_with("// accepts") || line.starts_with("// maps");
  }
  EXPECT_GT(claims, 0);
}

TEST_P(EveryProgram, EqualsItsDefinitionOnAllShortWordsAndRandomLongOnes) {
  ASSERT_TRUE(test::program_definitions().contains(GetParam().name)) << "no definition";
  const Case& known = test::program_definitions().at(GetParam().name);
  const lang::Rule rule = driver::parse_program(GetParam().text);
  const auto check = [&](const Word& word) {
    Letters letters;
    for (const Symbol s : word) letters += known.letters[static_cast<std::size_t>(s)];
    EXPECT_EQ(answer_to_letters(rule, letters), known.definition(letters)) << letters;
  };
  const std::size_t kinds = known.letters.size();
  test::for_all_words(kinds, false, kinds <= 2 ? 10 : kinds == 3 ? 7 : 5, check);
  Random random(3);
  for (int k = 0; k < 200; ++k) check(random_word(random, kinds, false, 1 + random.below(40)));
}

TEST_P(EveryProgram, IsComputedByItsNetwork) {
  const lang::Program program = driver::parse_program(GetParam().text);
  ProgramCheck check(program);
  const std::size_t kinds = program.alphabet.size() + 1;
  check.expect_right_to(kinds <= 3 ? 5 : kinds <= 5 ? 4 : 3);
  Random random(4);
  check.expect_right_at_random(random, 20, 12);
  check.expect_right_at_random(random, 6, program.is_brasp() ? 100 : 64);
  verify::Options options;  // the engine that long words get
  options.random_count = 10;
  options.random_length = program.is_brasp() ? 100 : 64;
  EXPECT_EQ(verify::verify(check.model(), program, options).differences, 0u);
}

/// All words up to length 12, as long as they are fewer than a million.
TEST_P(EveryProgram, SlowEqualsItsDefinitionExhaustively) {
  const Case& known = test::program_definitions().at(GetParam().name);
  const lang::Rule rule = driver::parse_program(GetParam().text);
  const std::size_t kinds = known.letters.size();
  std::size_t length = 1;
  for (std::size_t words = kinds; length < 12 && words * kinds < 1'000'000; words *= kinds) ++length;
  test::for_all_words(kinds, false, length, [&](const Word& word) {
    Letters letters;
    for (const Symbol s : word) letters += known.letters[static_cast<std::size_t>(s)];
    if (HasFailure()) return;
    EXPECT_EQ(answer_to_letters(rule, letters), known.definition(letters)) << letters;
  });
}

/// The network on all words up to length 12, as long as they are fewer than a million, and on random ones up to 64; as
/// soft and, on as many words as the reference executor does in a few seconds, as hard attention.
TEST_P(EveryProgram, SlowIsComputedByItsNetworkExhaustively) {
  const lang::Program program = driver::parse_program(GetParam().text);
  const model::Transformer model = driver::compile(program).model;
  const std::size_t kinds = program.alphabet.size() + 1;
  for (const bool hard : {false, true}) {
    verify::Options options;
    options.run.hard = hard;
    const std::uint64_t most = hard ? 20'000 : 1'000'000;
    while (options.exhaustive < 12 && verify::count_words(kinds, options.exhaustive + 1) < most) ++options.exhaustive;
    options.random_count = 200;
    options.random_length = 64;
    const verify::Report report = verify::verify(model, program, options);
    EXPECT_EQ(report.differences, 0u) << (report.counterexample ? report.counterexample->word : "");
    const std::string how = hard ? "hard" : "soft";
    RecordProperty(how + "_length", options.exhaustive);
    RecordProperty(how + "_words", std::to_string(report.words));
    std::cout << how << " attention: all words to length " << options.exhaustive << ", " << report.words << " words, "
              << report.positions << " positions, " << report.differences << " differences\n";
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, EveryProgram, ::testing::ValuesIn(program_examples()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace quench
