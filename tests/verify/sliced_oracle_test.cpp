// The fast oracle against the simple one: every operator, count and predicate, on random formulas and words.
#include "verify/sliced_oracle.h"

#include <gtest/gtest.h>

#include "base/number/random.h"
#include "lang/print/print.h"
#include "lang/random_formula.h"
#include "oracle/evaluate.h"

namespace quench::verify {
namespace {

void expect_equal(const lang::Formula& formula, std::size_t n, std::size_t lanes, Random& random) {
  std::vector<Word> words;
  std::vector<Symbol> symbols(n * lanes);
  for (std::size_t w = 0; w < lanes; ++w) {
    words.push_back(random_word(random, formula.alphabet.size(), true, n));
    for (std::size_t i = 0; i < n; ++i) symbols[i * lanes + w] = words[w][i];
  }
  SlicedOracle sliced(formula);
  ASSERT_TRUE(sliced.covers(n));
  const std::vector<std::uint64_t>& slices = sliced.evaluate(n, lanes, symbols.data(), lanes);
  for (std::size_t w = 0; w < lanes; ++w) {
    const std::vector<std::uint8_t> expected = oracle::evaluate(formula, words[w]);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(slices[i] >> w & 1, expected[i])
          << lang::print(formula) << " on " << formula.alphabet.print(words[w]) << " at " << i + 1;
  }
}

TEST(SlicedOracle, IsTheOracleOnRandomFormulas) {
  Random random(9);
  for (int k = 0; k < 1500; ++k) {
    lang::RandomFormulaOptions options;
    options.fragment.previous = options.fragment.next = options.fragment.since = options.fragment.until = true;
    options.fragment.count_left = options.fragment.count_right = options.fragment.count_all = true;
    options.fragment.position_predicate = options.fragment.count_predicate = true;
    options.symbols = 1 + k % 3;
    options.operators = 1 + static_cast<int>(random.below(12));
    expect_equal(lang::random_formula(random, options), 1 + random.below(40), 1 + random.below(64), random);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace quench::verify
