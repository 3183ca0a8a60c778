// Scans in formats with few bits, where nothing is computed in a wider one: heads without sinks, gaps as small as exp allows.
#include <gtest/gtest.h>

#include <numeric>

#include "certify/certify.h"
#include "check/check.h"
#include "lower/scan/scan_check.h"
#include "run/reference/chosen_rows.h"
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
      for (const std::size_t n : {16u, 17u, 127u, 256u}) check.expect_right_on(random_word(random, 2, true, n));
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

/// Rows of a word as long as E4M3 can have, computed as the reference executor would, from what other positions hold: layer
/// k reads the end of the block of 2^k before a position, or the position itself.
TEST(NarrowScan, IsRightAtTheEndOfAWordOf65536Symbols) {
  constexpr std::size_t n = 65536;
  lang::Dfa dfa{Alphabet({"a", "b"})};  // the number of a's mod 3
  for (const bool accepting : {true, false, false}) dfa.add_state(accepting);
  for (const lang::State s : {0, 1, 2})
    for (lang::Letter letter = 0; letter < dfa.letters(); ++letter)
      dfa.connect(s, letter, letter == 0 ? (s + 1) % 3 : s);
  const model::Transformer model = driver::compile(dfa, ScanCheck::options(n, 8)).model;
  Random random(4);
  const Word word = random_word(random, 2, true, n);
  const std::vector<double> accepted = ScanCheck::expected(dfa, word);
  const run::ReferenceRows narrow(model, {NumberFormat::f8e4m3, false}), exact(model, {NumberFormat::f64, true});
  std::vector<std::size_t> positions(n);
  std::iota(positions.begin(), positions.end(), std::size_t{1});
  run::ReferenceRows::Rows all = exact.embed(word, positions);
  run::ReferenceRows::Rows rows = narrow.embed(word, {1, 2, 32768, 32769, 65535, 65536});
  for (std::size_t k = 0; k < model.layers.size(); ++k) {
    run::ReferenceRows::Planes planes(model.width, std::vector<double>(n));
    for (std::size_t c = 0; c < model.width; ++c)
      for (std::size_t x = 0; x < n; ++x) planes[c][x] = all.residual(x, c);
    narrow.attention(k, planes, rows);
    narrow.feed_forward(k, rows);
    for (const model::Head& head : model.layers[k].heads)
      for (std::size_t c = 0; c < head.o.rows.size(); ++c)
        for (const SparseMatrix::Entry& o : head.o.rows[c])
          for (const SparseMatrix::Entry& v : head.v.rows[o.column])
            for (std::size_t x = 0; x < n; ++x)
              all.residual(x, c) += o.value * v.value * planes[v.column][(x >> k & 1) != 0 ? (x >> k << k) - 1 : x];
    exact.feed_forward(k, all);
  }
  for (std::size_t r = 0; r < rows.positions.size(); ++r)
    EXPECT_EQ(narrow.output(rows, r), accepted[rows.positions[r] - 1]) << rows.positions[r];
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
