// Scans in formats with few bits, where nothing is computed in a wider one: heads without sinks, gaps as small as exp allows.
#include <gtest/gtest.h>

#include "certify/certify.h"
#include "check/check.h"
#include "lower/scan/scan_check.h"
#include "support/all_words.h"

namespace quench {
namespace {

using test::kA5;
using test::ScanCheck;

struct Narrow {
  NumberFormat format;
  double gamma;
  std::size_t length;
};
const std::vector<Narrow> kNarrow{{NumberFormat::f8e4m3, 8, 65536},
                                  {NumberFormat::f8e5m2, 16, 256},
                                  {NumberFormat::f16_pure, 32, std::size_t{1} << 20},
                                  {NumberFormat::bf16_pure, 128, std::size_t{1} << 20}};

std::vector<lang::Dfa> automata() {
  Random random(1);
  std::vector<lang::Dfa> all{test::moving_point(kA5)};
  for (int k = 0; k < 4; ++k) all.push_back(test::random_dfa(random, 2 + static_cast<std::size_t>(k), k % 2 == 0));
  return all;
}

TEST(NarrowScan, IsTheAutomaton) {
  for (const auto& [format, gamma, length] : kNarrow)
    for (const lang::Dfa& dfa : automata()) {
      SCOPED_TRACE(to_string(format));
      ScanCheck check(dfa, length, {format}, gamma);
      test::for_all_words(2, false, 5, [&](const Word& word) { check.expect_right_on(word); });
      Random random(2);
      for (const std::size_t n : {16u, 17u, 127u, 256u})
        check.expect_right_on(random_word(random, 2, true, n));
      if (HasFailure()) return;
    }
}

/// Words as long as they may be, of few symbols' weights: every bit that a head asks for is asked.
TEST(NarrowScan, ReachesTheLengthAskedFor) {
  Random random(3);
  for (const auto& [format, gamma, length] : kNarrow)
    for (const std::size_t fewer : {std::size_t{4}, std::size_t{16}, std::size_t{256}}) {
      ScanCheck check(test::moving_point(kA5), fewer, {format}, gamma);
      for (const std::size_t n : {fewer - 1, fewer}) check.expect_right_on(random_word(random, 2, true, n));
    }
}

TEST(NarrowScan, IsCertifiedToItsLength) {
  for (const auto& [format, gamma, length] : kNarrow)
    for (const lang::Dfa& dfa : automata()) {
      SCOPED_TRACE(to_string(format));
      const model::Transformer model = driver::compile(dfa, ScanCheck::options(length, gamma)).model;
      if (model.head_count() == 0) continue;
      model::Entry entry{format, certify::Summation::any,
                         certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any)};
      EXPECT_EQ(entry.finding.length, length) << entry.finding.limiting_head << ": " << entry.finding.reason;
      EXPECT_EQ(check::objection(entry, model), std::nullopt);
      entry.finding.length += 1;
      EXPECT_NE(check::objection(entry, model), std::nullopt);
    }
}

/// One bit more, or half the gap, and scores are not exact, or losers do not vanish: neither proves it.
TEST(NarrowScan, EndsThere) {
  const auto certified = [](NumberFormat format, double gamma, std::size_t length) {
    const model::Transformer model = driver::compile(test::moving_point(kA5), ScanCheck::options(length, gamma)).model;
    return certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length;
  };
  EXPECT_EQ(certified(NumberFormat::f8e4m3, 8, 131072), 0u);
  EXPECT_EQ(certified(NumberFormat::f8e5m2, 16, 512), 0u);
  EXPECT_LE(certified(NumberFormat::f8e5m2, 8, 256), 1u);
  EXPECT_LE(certified(NumberFormat::f16_pure, 16, 1024), 1u);
}

/// Bits of other blocks are no proof of what a head finds.
TEST(NarrowScan, IsNotProvedWithOtherBits) {
  const model::Transformer model = driver::compile(test::moving_point(kA5), ScanCheck::options(64, 8)).model;
  const auto arithmetic = certify::Arithmetic::of(NumberFormat::f8e4m3);
  const model::Entry entry{NumberFormat::f8e4m3, certify::Summation::any,
                           certify::certify(model, arithmetic, certify::Summation::any)};
  ASSERT_EQ(check::objection(entry, model), std::nullopt);
  std::size_t changed = 0;
  for (std::size_t k = 0; k + 1 < model.position_encodings.size(); ++k) {
    model::Transformer other = model;
    std::swap(other.position_encodings[k].formula, other.position_encodings[k + 1].formula);
    EXPECT_FALSE(certify::holds(other, arithmetic, certify::Summation::any, 64)) << k;
    EXPECT_NE(check::objection(entry, other), std::nullopt) << k;
    ++changed;
  }
  EXPECT_GT(changed, 10u);
}

}  // namespace
}  // namespace quench
