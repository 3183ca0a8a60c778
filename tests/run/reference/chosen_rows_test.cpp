// Single rows are those of the reference executor to the bit, when the other positions hold what they hold there:
// random models with every mask, weighting and temperature, every number format, hard attention too.
#include "run/reference/chosen_rows.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/number/random.h"
#include "support/random_model.h"

namespace quench::run {
namespace {

ReferenceRows::Planes planes_of(const Matrix& residual) {
  ReferenceRows::Planes planes(residual.cols, std::vector<double>(residual.rows));
  for (std::size_t i = 0; i < residual.rows; ++i)
    for (std::size_t k = 0; k < residual.cols; ++k) planes[k][i] = residual(i, k);
  return planes;
}

/// IEEE 754 leaves the sign of a NaN open, and the compiler the order of the operands it depends on.
std::uint64_t bits_of(double x) { return std::isnan(x) ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x); }

void expect_same_bits(const ReferenceRows::Rows& rows, const Matrix& whole, const std::string& where) {
  for (std::size_t r = 0; r < rows.positions.size(); ++r)
    for (std::size_t k = 0; k < whole.cols; ++k) {
      const double a = rows.residual(r, k), b = whole(rows.positions[r] - 1, k);
      ASSERT_EQ(bits_of(a), bits_of(b)) << where << ", position " << rows.positions[r] << ", coordinate " << k << ": "
                                        << a << " and " << b;
    }
}

void compare(const model::Transformer& model, const Word& word, const Options& options, Random& random) {
  std::vector<Matrix> states;
  Observer observer;
  observer.residual = [&](int, Matrix& residual) { states.push_back(residual); };
  run(model, word, options, observer);
  const ReferenceRows executor(model, options);
  std::vector<std::size_t> positions{1, word.size()};
  positions.push_back(1 + random.below(word.size()));
  ReferenceRows::Rows rows = executor.embed(word, positions);
  const std::string name(to_string(options.format));
  expect_same_bits(rows, states[0], name + ", embedding");
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    executor.attention(l, planes_of(states[2 * l]), rows);
    expect_same_bits(rows, states[2 * l + 1], name + ", attention");
    executor.feed_forward(l, rows);
    expect_same_bits(rows, states[2 * l + 2], name + ", feed-forward");
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_EQ(bits_of(executor.output(rows, 0)), bits_of(states.back()(0, model.output.coordinate)));
}

TEST(ReferenceRows, AreThoseOfTheWholeWordToTheBit) {
  Random random(41);
  std::vector<NumberFormat> formats = all_number_formats();
  formats.insert(formats.end(), emulated_number_formats().begin(), emulated_number_formats().end());
  for (int round = 0; round < 12; ++round) {
    const model::Transformer model = test::random_model(random);
    for (const NumberFormat format : formats)
      for (const bool hard : {false, true}) {
        const Word word = test::word_over(random, model, 1 + random.below(40));
        compare(model, word, {format, hard}, random);
        if (testing::Test::HasFatalFailure()) return;
      }
  }
}

}  // namespace
}  // namespace quench::run
