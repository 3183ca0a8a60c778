// Every rule in examples/formulas does what its comment says and is the language it is called after.
#include <gtest/gtest.h>

#include "lang/same_formula.h"
#include "oracle/brute_force.h"
#include "oracle/evaluate.h"
#include "oracle/example_languages.h"
#include "parse/parse_text.h"
#include "support/examples.h"

namespace quench {
namespace {

std::string values(const lang::Formula& formula, const Word& word) {
  std::string result;
  for (const std::uint8_t value : oracle::evaluate(formula, word)) result += value ? '1' : '0';
  return result;
}

class Examples : public testing::TestWithParam<test::ExampleFile> {};

TEST_P(Examples, AcceptAndRejectTheWordsTheyName) {
  const test::ExampleFile& example = GetParam();
  const lang::Formula formula = parse_text(example.text);
  const auto accepts = [&](const std::string& word) {
    return values(formula, formula.alphabet.parse(word)).back() == '1';
  };
  for (const std::string& word : example.accepts) EXPECT_TRUE(accepts(word)) << word;
  for (const std::string& word : example.rejects) EXPECT_FALSE(accepts(word)) << word;
  for (const auto& [word, expected] : example.values)
    EXPECT_EQ(values(formula, formula.alphabet.parse(word)), expected) << word;
  EXPECT_GE(example.rejects.size(), 4u);
  const bool looks_beyond_the_end = example.name == "gram_110_here";
  EXPECT_GE(example.accepts.size(), looks_beyond_the_end ? 0u : 3u);
}

TEST_P(Examples, AreTheirLanguages) {
  const auto at = example_languages().find(GetParam().name);
  ASSERT_NE(at, example_languages().end()) << "tests/oracle/example_languages.cpp does not know " << GetParam().name;
  const ExampleLanguage& language = at->second;
  const lang::Formula formula = parse_text(GetParam().text);

  std::vector<Symbol> symbols;
  for (const char c : language.alphabet) {
    const auto spelled = language.spelling.find(c);
    symbols.push_back(formula.alphabet.find(spelled == language.spelling.end() ? std::string(1, c) : spelled->second));
  }
  const std::size_t longest = symbols.size() == 2 ? 10 : symbols.size() == 3 ? 8 : symbols.size() == 4 ? 7 : 6;
  for_each_word(static_cast<int>(symbols.size()), false, longest, [&](const Word& numbers) {
    std::string letters;
    Word word;
    for (const Symbol number : numbers) {
      letters += language.alphabet[static_cast<std::size_t>(number)];
      word.push_back(symbols[static_cast<std::size_t>(number)]);
    }
    const std::string found = values(formula, word);
    ASSERT_EQ(found.back() == '1', language.contains(letters)) << letters;
    for (std::size_t i = 0; language.at && i < word.size(); ++i)
      ASSERT_EQ(found[i] == '1', language.at(letters, i)) << letters << " at " << i + 1;
  });
}

TEST_P(Examples, ParseBackFromTheirPrintedForm) {
  const lang::Formula formula = parse_text(GetParam().text);
  EXPECT_TRUE(same_formula(formula, parse_text(lang::print(formula))));
}

INSTANTIATE_TEST_SUITE_P(Formulas, Examples, testing::ValuesIn(test::formula_examples()),
                         [](const auto& example) { return example.param.name; });

TEST(ExampleLanguages, EachHasItsFile) {
  const std::vector<test::ExampleFile> examples = test::formula_examples();
  EXPECT_EQ(examples.size(), example_languages().size());
  for (const test::ExampleFile& example : examples) EXPECT_EQ(example_languages().count(example.name), 1u) << example.name;
}

}  // namespace
}  // namespace quench
