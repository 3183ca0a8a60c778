// [Q-carry]: predicates of counts in digits, against the oracle in every format, at the corners of digits and bits.
#include <gtest/gtest.h>

#include "base/number/random.h"
#include "certify/certify.h"
#include "check/check.h"
#include "lower/exact/exact_check.h"
#include "support/all_words.h"

namespace quench {
namespace {

using test::ExactCheck;
using test::kAllFormats;

constexpr std::size_t kLongest = std::size_t{1} << 20;

const std::vector<std::string> kTexts{"prime(#<[Q_a])",          "square(#>[Q_a])",
                                      "fibonacci(#[Q_a | Q_b])", "pow2(#<[Q_a | Q_b])",
                                      "last(#[Q_a])",            "mod(2000,3)(#<[Q_a])",
                                      "odd(#<[prime(#<[Q_a])])", "prime(#<[once Q_b]) & #<[Q_a] > 0"};

lower::RecipeOptions in_digits(std::size_t length, bool decoder = false) {
  lower::RecipeOptions options = ExactCheck::options(length, decoder);
  options.digits = true;
  return options;
}

TEST(ExactDigits, AreRightOnAllShortWords) {
  for (const std::string& text : kTexts) {
    ExactCheck check(driver::parse(text), in_digits(kLongest / 4), kAllFormats);
    const std::size_t symbols = check.formula().alphabet.size();
    test::for_all_words(symbols, true, symbols > 1 ? 4 : 6, [&](const Word& word) { check.expect_right_on(word); });
    if (HasFailure()) return;
  }
}

/// κ = 0 and κ = N, counts that fill digits and carry over all of them.
TEST(ExactDigits, ReachTheLengthAskedFor) {
  Random random(16);
  for (const std::string& text : kTexts)
    for (const std::size_t length : {std::size_t{4}, std::size_t{16}, std::size_t{64}, std::size_t{512}}) {
      ExactCheck check(driver::parse(text), in_digits(length), kAllFormats);
      const std::size_t symbols = check.formula().alphabet.size();
      if (length == 4)
        test::for_all_words(symbols, true, 4, [&](const Word& word) { check.expect_right_on(word); });
      for (const std::size_t n : {length - 1, length})
        for (Symbol s = -1; s < static_cast<Symbol>(symbols); ++s) check.expect_right_on(Word(n, s));
      for (int k = 0; k < 3; ++k) check.expect_right_on(random_word(random, symbols, k % 2, length));
      if (HasFailure()) return;
    }
}

TEST(ExactDigits, AreDecodersToo) {
  Random random(17);
  ExactCheck check(driver::parse("prime(#<[Q_a])"), in_digits(1 << 12, true), kAllFormats);
  for (const model::Layer& layer : check.compilation().model.layers)
    for (const model::Head& head : layer.heads) EXPECT_EQ(head.mask, Mask::future);
  for (const std::size_t n : {std::size_t{255}, std::size_t{256}, std::size_t{257}, std::size_t{600}}) {
    check.expect_right_on(random_word(random, 1, false, n));
    check.expect_right_on(random_word(random, 1, true, n));
  }
}

TEST(ExactDigits, AreCertifiedInHalfFormats) {
  for (const std::string& text : kTexts) {
    for (const NumberFormat format : kAllFormats) {
      const std::size_t length = format == NumberFormat::f16 ? kLongest / 4 : kLongest;  // its range ends
      const driver::Compilation c = driver::compile(driver::parse(text), in_digits(length));
      const model::Entry entry{
          format, certify::Summation::any,
          certify::certify(c.model, certify::Arithmetic::of(format), certify::Summation::any)};
      EXPECT_EQ(entry.finding.length, length)
          << text << " in " << to_string(format) << ": " << entry.finding.limiting_head << ": " << entry.finding.reason;
      EXPECT_EQ(check::objection(entry, c.model), std::nullopt) << text << " in " << to_string(format);
    }
  }
}

/// What docs/theory-exact.md says.
TEST(ExactDigits, HaveTheseSizes) {
  const driver::Compilation c = driver::compile(driver::parse("prime(#<[Q_a])"), in_digits(kLongest));
  EXPECT_EQ(c.model.layers.size(), 10u);
  EXPECT_EQ(c.model.head_count(), 23u);
}

/// The limits are real.
TEST(ExactDigits, EndAtTheLengthAskedFor) {
  ExactCheck check(driver::parse("prime(#<[Q_a])"), in_digits(16), {NumberFormat::f64});
  Random random(18);
  bool wrong = false;
  for (int k = 0; k < 50 && !wrong; ++k) wrong = !check.right_on(random_word(random, 1, k % 2, 18 + random.below(14)));
  EXPECT_TRUE(wrong);
}

TEST(ExactDigitsSlow, AreRightOnLongWords) {
  Random random(4095);
  for (const char* text : {"prime(#<[Q_a])", "square(#[Q_a])"}) {
    ExactCheck check(driver::parse(text), in_digits(4096), kAllFormats);
    for (const std::size_t n : {std::size_t{4095}, std::size_t{4096}})
      check.expect_right_on(random_word(random, 1, true, n));
  }
}

}  // namespace
}  // namespace quench
