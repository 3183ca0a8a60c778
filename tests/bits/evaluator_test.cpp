// Bit planes against the oracle: every operator, count and predicate, around the word boundaries of 64 positions.
#include "bits/evaluator.h"

#include <gtest/gtest.h>

#include "base/number/random.h"
#include "driver/compile.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"
#include "support/all_words.h"
#include "support/examples.h"

namespace quench::bits {
namespace {

void expect_equal(Evaluator& evaluator, const lang::Formula& formula, const Word& word) {
  ASSERT_TRUE(evaluator.covers(word.size()));
  const Plane& plane = evaluator.evaluate(word);
  const std::vector<std::uint8_t> expected = oracle::evaluate(formula, word);
  ASSERT_EQ(plane.size(), words_for(word.size()));
  EXPECT_EQ(plane.back() & ~last_mask(word.size()), 0u);
  for (std::size_t i = 0; i < word.size(); ++i)
    ASSERT_EQ(plane[i / kBits] >> i % kBits & 1, expected[i])
        << lang::print(formula) << " on " << formula.alphabet.print(word) << " at " << i + 1;
}

/// Lengths on both sides of one block, of a group of blocks, and in between.
std::size_t some_length(Random& random) {
  constexpr std::size_t kCorners[] = {1, 2, 63, 64, 65, 127, 128, 129, 511, 512, 513, 1024};
  return random.below(2) == 0 ? kCorners[random.below(std::size(kCorners))] : 1 + random.below(1500);
}

TEST(BitPlanes, AreTheOracleOnRandomFormulas) {
  Random random(64);
  for (int k = 0; k < 3000; ++k) {
    lang::RandomFormulaOptions options;
    options.fragment.previous = options.fragment.next = options.fragment.since = options.fragment.until = true;
    options.fragment.count_left = options.fragment.count_right = options.fragment.count_all = true;
    options.fragment.position_predicate = options.fragment.count_predicate = true;
    options.symbols = 1 + k % 3;
    options.operators = 1 + static_cast<int>(random.below(12));
    const lang::Formula formula = lang::random_formula(random, options);
    Evaluator evaluator(formula);
    for (int word = 0; word < 3; ++word) {
      expect_equal(evaluator, formula, random_word(random, formula.alphabet.size(), true, some_length(random)));
      if (HasFatalFailure()) return;
    }
  }
}

TEST(BitPlanes, AreTheOracleOnEveryExample) {
  Random random(65);
  for (const test::ExampleFile& example : test::formula_examples()) {
    const lang::Formula formula = driver::parse(example.text);
    Evaluator evaluator(formula);
    test::for_all_words(formula.alphabet.size(), true, formula.alphabet.size() < 4 ? 6 : 4,
                        [&](const Word& word) { expect_equal(evaluator, formula, word); });
    for (int k = 0; k < 20; ++k)
      expect_equal(evaluator, formula, random_word(random, formula.alphabet.size(), false, some_length(random)));
    if (HasFatalFailure()) return;
  }
}

/// Words that keep a comparison at its threshold in every block, so that no block is decided from outside.
TEST(BitPlanes, CompareCountsThatStayEqual) {
  for (const char* text : {"#<[Q_a] >= #<[Q_b]", "#<[Q_a] = #<[Q_b]", "#<[Q_a] != #>[Q_b]",
                           "3*#<[Q_a] - 3*#<[Q_b] + #>[Q_b] > #>[Q_a] - 2", "#[Q_a] <= 2*#<[Q_b]",
                           "1000000007*#<[Q_a] < 1000000007*#<[Q_b] + 1", "2*#<[Q_a] + 5 <= #[Q_b]"}) {
    const lang::Formula formula = driver::parse(text);
    Evaluator evaluator(formula);
    for (const std::size_t n : {1u, 2u, 64u, 65u, 512u, 700u, 1025u})
      for (const std::size_t period : {2u, 4u, 130u}) {
        Word word(n);
        for (std::size_t i = 0; i < n; ++i) word[i] = static_cast<Symbol>(i % period < period / 2 ? 0 : 1);
        expect_equal(evaluator, formula, word);
        if (HasFatalFailure()) return;
      }
  }
}

TEST(BitPlanes, RefuseCoefficientsBeyondTheirArithmetic) {
  const lang::Formula formula = driver::parse("1000000000000000000*#<[Q_a] >= 1");
  EXPECT_FALSE(Evaluator(formula).covers(1));
  const lang::Formula small = driver::parse("1000000*#<[Q_a] >= 1");
  EXPECT_TRUE(Evaluator(small).covers(1'000'000));
}

}  // namespace
}  // namespace quench::bits
