// Many words at once against the oracle and against one word at a time: every operator, count and predicate, lengths on
// both sides of 64, mixed lengths, groups that are full, short of full, and empty.
#include "bits/batch.h"

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "support/all_words.h"
#include "support/examples.h"

namespace quench::bits {
namespace {

/// Returns how many words went side by side.
std::size_t expect_equal(const lang::Formula& formula, const std::vector<Word>& words, bool against_oracle = true) {
  BatchEvaluator batch(formula);
  Evaluator single(formula);
  const std::vector<Text> texts(words.begin(), words.end());
  Planes planes;
  batch.evaluate(texts, planes);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const Word& word = words[w];
    const std::span<const Bits> plane = planes[w];
    const Plane& alone = single.evaluate(word);
    const auto message = [&] {
      std::string text = lang::print(formula) + " on";
      for (const Symbol symbol : word) text += " " + std::to_string(symbol);
      return text;
    };
    EXPECT_TRUE(std::ranges::equal(plane, alone)) << message();
    if (against_oracle) {
      const std::vector<std::uint8_t> expected = oracle::evaluate(formula, word);
      for (std::size_t i = 0; i < word.size(); ++i)
        if ((plane[i / kBits] >> i % kBits & 1) != expected[i]) {
          ADD_FAILURE() << message() << " at " << i + 1;
          return 0;
        }
    }
    if (testing::Test::HasFailure()) return 0;
  }
  return batch.side_by_side();
}

std::vector<Word> random_words(Random& random, std::size_t symbols, std::size_t count, auto length) {
  std::vector<Word> words;
  for (std::size_t w = 0; w < count; ++w) words.push_back(random_word(random, symbols, true, length()));
  return words;
}

lang::RandomFormulaOptions everything(Random& random, int k) {
  lang::RandomFormulaOptions options;
  options.fragment.previous = options.fragment.next = options.fragment.since = options.fragment.until = true;
  options.fragment.count_left = options.fragment.count_right = options.fragment.count_all = true;
  options.fragment.position_predicate = options.fragment.count_predicate = true;
  options.symbols = 1 + k % 3;
  options.operators = 1 + static_cast<int>(random.below(12));
  return options;
}

/// No operator is left to chance.
TEST(BitSlices, AreTheOracleForEveryOperator) {
  Random random(1);
  const std::vector<Word> words = random_words(random, 3, 700, [&] { return 1 + random.below(130); });
  for (const char* text : {"!Q_a",
                           "prev Q_a",
                           "next Q_a",
                           "Z Q_a",
                           "N Q_a",
                           "O Q_a",
                           "H Q_a",
                           "F Q_a",
                           "G Q_a",
                           "Q_a & Q_b",
                           "Q_a | Q_b",
                           "Q_a -> Q_b",
                           "Q_a <-> Q_b",
                           "Q_a xor Q_b",
                           "Q_a since Q_b",
                           "Q_a until Q_b",
                           "Q_a S Q_b",
                           "Q_a U Q_b",
                           "Q_a W Q_b",
                           "Q_a R Q_b",
                           "true",
                           "false",
                           "Q_a & true",
                           "!Q_a S !Q_b",
                           "!Q_a U !Q_b",
                           "!Q_a R !Q_b",
                           "next !Q_c",
                           "H O Q_a",
                           "G F Q_c",
                           "Q_a S Q_a",
                           "#<[Q_a] >= 2",
                           "#>[Q_a] >= 2",
                           "#[Q_a] >= 2",
                           "#<[!Q_a] = #>[!Q_a]",
                           "#[!Q_a] != 2*#<[Q_b]",
                           "#>[!Q_c] < #<[!Q_c] - 3",
                           "#<[Q_a] <= #>[Q_a]",
                           "0 > #<[Q_a]",
                           "odd",
                           "prime",
                           "last",
                           "first | last",
                           "odd(#<[Q_a])",
                           "odd(#>[!Q_a])",
                           "odd(#[!Q_a])",
                           "prime(#<[Q_a | Q_b])",
                           "mod(3,1)(#>[Q_a])",
                           "mod(7,2)(#[Q_b])",
                           "last(#<[!Q_c])",
                           "square(#>[true])"}) {
    const lang::Formula formula = driver::parse(text);
    const std::size_t side_by_side = expect_equal(formula, words);
    if (HasFailure()) return;
    // Words of different lengths go side by side unless a predicate looks at the length.
    EXPECT_TRUE(side_by_side == 700 || std::string(text).find("last") != std::string::npos) << text;
  }
}

/// The words of one length, at which a predicate may look.
TEST(BitSlices, AreTheOracleOfPredicatesOfTheLength) {
  Random random(2);
  for (const std::size_t n : {1u, 63u, 64u, 65u})
    for (const char* text :
         {"last", "last(#<[Q_a])", "last(#>[!Q_a])", "last(#[true])", "pred q(i,n) = 2*i <= n\n q & !q(#<[Q_a])"}) {
      const lang::Formula formula = driver::parse(text);
      EXPECT_EQ(expect_equal(formula, random_words(random, 2, 600, [&] { return n; })), 600u) << text;
      if (HasFailure()) return;
    }
}

TEST(BitSlices, AreTheOracleOnRandomFormulas) {
  Random random(3);
  for (int k = 0; k < 400; ++k) {
    const lang::Formula formula = lang::random_formula(random, everything(random, k));
    const std::size_t most = 1 + random.below(140);
    expect_equal(formula, random_words(random, formula.alphabet.size(), 20 + random.below(60),
                                       [&] { return 1 + random.below(most); }));
    if (HasFailure()) return;
  }
}

/// All words of up to 6 letters: many groups, of one length and of several.
TEST(BitSlices, AreTheOracleOnEveryExample) {
  Random random(4);
  for (const test::ExampleFile& example : test::formula_examples()) {
    const lang::Formula formula = driver::parse(example.text);
    std::vector<Word> words;
    test::for_all_words(formula.alphabet.size(), true, formula.alphabet.size() < 4 ? 6 : 4,
                        [&](const Word& word) { words.push_back(word); });
    expect_equal(formula, words);
    expect_equal(formula, random_words(random, formula.alphabet.size(), 100, [&] { return 60 + random.below(10); }));
    if (HasFailure()) return;
  }
}

TEST(BitSlices, TakeEveryNumberOfWords) {
  Random random(5);
  const lang::Formula formula = driver::parse("(Q_a S prev Q_b) & (!Q_b U next Q_a) | #<[Q_a] > #>[Q_b]");
  for (const std::size_t n : {1u, 2u, 63u, 64u, 65u, 127u, 128u, 129u})
    for (const std::size_t count : {0u, 1u, 2u, 63u, 64u, 65u, 511u, 512u, 513u, 1025u}) {
      const std::size_t side_by_side = expect_equal(formula, random_words(random, 2, count, [&] { return n; }));
      if (HasFailure()) return;
      EXPECT_TRUE(count < 1025 || side_by_side >= 1024);
    }
}

/// Symbols are read by the instruction set at hand; parts of vectors at the end of a word, each set in its own way.
TEST(BitSlices, AreReadTheSameByEveryInstructionSet) {
  Random random(8);
  const lang::Formula formula = driver::parse("Q_a S prev Q_b");
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    EXPECT_EQ(expect_equal(formula, random_words(random, 2, 600, [&] { return 1 + random.below(70); })), 600u);
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

TEST(BitSlices, TakeLongWordsOneByOne) {
  Random random(6);
  const lang::Formula formula = driver::parse("Q_a S prev Q_b");
  std::vector<Word> words = random_words(random, 2, 600, [&] { return 1 + random.below(20); });
  words.insert(words.begin() + 7, random_word(random, 2, true, 100'000));
  words.insert(words.begin() + 400, random_word(random, 2, true, 1025));
  EXPECT_EQ(expect_equal(formula, words), 600u);
}

/// Sums of many digits, and constants that no count can reach.
TEST(BitSlices, CompareNumbersOfManyDigits) {
  Random random(7);
  const std::vector<Word> words = random_words(random, 2, 600, [&] { return 1 + random.below(70); });
  for (const char* text :
       {"1000000007*#<[Q_a] < 1000000007*#<[Q_b] + 1", "3*#<[Q_a] - 3*#<[Q_b] + #>[Q_b] > #>[Q_a] - 2",
        "5*#[Q_a] - 7*#>[Q_b] <= 3*#<[Q_b] - 11", "#<[Q_a] < 1000000000000000", "#<[Q_a] > 0 - 1000000000000000",
        "#<[Q_a] = 1000000000000000", "6*#<[Q_a] = 4*#>[Q_b]", "#<[Q_a] - #<[Q_a] >= 0", "#<[Q_a] - #<[Q_a] > 0"}) {
    const lang::Formula formula = driver::parse(text);
    EXPECT_EQ(expect_equal(formula, words), 600u) << text;
    if (HasFailure()) return;
  }
}

TEST(BitSlices, DecideEveryTable) {
  for (std::size_t n = 1; n <= 9; ++n)
    for (std::size_t pattern = 0; pattern < std::size_t{2} << n; ++pattern) {
      std::vector<bool> table(n + 1);
      for (std::size_t x = 0; x <= n; ++x) table[x] = (pattern >> x & 1) != 0;
      const Diagram diagram(table);
      for (std::size_t x = 0; x <= n; ++x) {
        std::vector<bool> values{false, true};
        for (const Diagram::Decision& decision : diagram.decisions())
          values.push_back(values[x >> decision.digit & 1 ? decision.if_1 : decision.if_0]);
        ASSERT_EQ(values[diagram.answer()], table[x]) << n << " " << pattern << " " << x;
      }
    }
  std::vector<bool> odd(101);
  for (std::size_t x = 1; x < odd.size(); x += 2) odd[x] = true;
  EXPECT_EQ(Diagram(odd).decisions().size(), 1u);
}

}  // namespace
}  // namespace quench::bits
