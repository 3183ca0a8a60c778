// Keys of two ranks in one long word: when they are foreseen, and the head by its definition, whatever the mask, the
// length and the place where a rank is not a Boolean.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "run/structured/kernels/rank_kernel.h"
#include "run/structured/methods/ranked_model.h"
#include "run/structured/pass.h"
#include "support/agreement.h"
#include "support/random_model.h"

namespace quench {
namespace {

using run::StructuredExecutor;

/// ranked_model() with i/N and 1/N, whose scores are exact; symbol b stands for `other`.
model::Transformer sloped_model(double gamma, double word, double position, Mask mask, double other = 0) {
  model::Transformer model = test::ranked_model(gamma, word, position);
  model.position_encodings[0].formula.kind = PositionFormula::Kind::index_over_power;
  if (other != 0) model.embedding.add(1, 3, other);
  model.layers[0].heads[0].mask = mask;
  model.layers[0].heads[0].temperature = Temperature::inverse_power;
  return model;
}

template <class T>
std::optional<run::RankSlope> foreseen_slope(const model::Transformer& model, std::size_t n) {
  const run::ReferencePlan plan =
      run::make_reference_plan(model, {sizeof(T) == 4 ? NumberFormat::f32 : NumberFormat::f64, false});
  run::LaneSpace<T> space;
  run::tabulate(plan, run::make_layer_rows<T>(plan), n, /*many=*/false, space);
  return space.foreseen.heads[0][0].slope;
}

TEST(SegmentRanks, AreForeseen) {
  const auto of = [](double word, double position, Mask mask) { return sloped_model(16, word, position, mask); };
  const auto slope = foreseen_slope<float>(of(1, 0.5, Mask::future), 1000);
  ASSERT_TRUE(slope);
  EXPECT_EQ(slope->slope, 16);  // 2γN·r/N
  EXPECT_TRUE(slope->one_is_high);
  EXPECT_FALSE(foreseen_slope<double>(of(-1, 0.5, Mask::future), 1000)->one_is_high);
  EXPECT_TRUE(foreseen_slope<float>(of(1, 0, Mask::future), 1000)) << "all of one rank are alike";
  EXPECT_TRUE(foreseen_slope<float>(of(1, -0.5, Mask::strict_past), 1000));
  EXPECT_FALSE(foreseen_slope<float>(of(1, 0.5, Mask::past), 1000)) << "scores fall in the order of that scan";
  EXPECT_TRUE(foreseen_slope<float>(of(1, 0.5, Mask::none), 1000));
  EXPECT_FALSE(foreseen_slope<float>(of(1, -0.5, Mask::none), 1000)) << "keys come from the left";
  EXPECT_FALSE(foreseen_slope<float>(of(0, 0.5, Mask::future), 1000)) << "there is one rank";
  EXPECT_FALSE(foreseen_slope<float>(of(0.5, 0.5, Mask::future), 1024))
      << "a high key far back is no higher than a low one";
  EXPECT_FALSE(foreseen_slope<float>(of(1, 0.3, Mask::future), 1000)) << "products may be rounded";
  EXPECT_FALSE(foreseen_slope<float>(of(1, 0x1p-30, Mask::future), 1000)) << "sums may be";
  model::Transformer uneven = of(1, 0.5, Mask::future);
  uneven.position_encodings[0].formula.kind = PositionFormula::Kind::inverse_index;
  EXPECT_FALSE(foreseen_slope<float>(uneven, 1000)) << "steps differ";
}

/// sloped_model() with the position in two digits of base 8, from 0.
model::Transformer model_with_digits(double position, Mask mask, std::size_t n) {
  model::Transformer model = sloped_model(16, 1, 0, mask);
  std::vector<double> low, high;
  for (std::size_t i = 0; i < n; ++i) {
    low.push_back(static_cast<double>(i % 8));
    high.push_back(static_cast<double>(i / 8));
  }
  model.position_encodings[0].formula = {PositionFormula::Kind::table, {}, low};
  model.position_encodings[1].formula = {PositionFormula::Kind::table, {}, high};
  model::Head& head = model.layers[0].heads[0];
  head.q.add(2, 0, 64);  // a component of its own for the upper digit
  head.k.add(1, model.position_encodings[0].coordinate, position);
  head.k.add(2, model.position_encodings[1].coordinate, 8 * position);
  return model;
}

/// Neither digit rises evenly; their sum does.
TEST(SegmentRanks, AreForeseenWherePositionsAreGivenByDigits) {
  constexpr std::size_t n = 1000;
  const auto slope = foreseen_slope<float>(model_with_digits(0x1p-10, Mask::future, n), n);
  ASSERT_TRUE(slope);
  EXPECT_EQ(slope->slope, foreseen_slope<double>(model_with_digits(0x1p-10, Mask::future, n), n)->slope);
  EXPECT_GT(slope->slope, 0);
  model::Transformer model = model_with_digits(0x1p-10, Mask::future, n);
  model.position_encodings[1].formula.table[n / 2] += 1;
  EXPECT_FALSE(foreseen_slope<float>(model, n)) << "one position is out of line";
  model.position_encodings[1].formula.table[n / 2] -= 1 - 0x1p-30;
  EXPECT_TRUE(foreseen_slope<float>(model, n)) << "in float it is not";
  EXPECT_FALSE(foreseen_slope<double>(model, n));
}

TEST(SegmentRanks, HoldWherePositionsAreGivenByDigits) {
  Random random(15);
  StructuredExecutor::Workspace space;
  for (const Mask mask : {Mask::future, Mask::strict_future, Mask::past, Mask::strict_past, Mask::none})
    for (const std::size_t n : {std::size_t{2}, std::size_t{17}, std::size_t{333}, std::size_t{4'500}}) {
      const bool backwards = mask == Mask::past || mask == Mask::strict_past;
      const model::Transformer model = model_with_digits(backwards ? -0x1p-13 : 0x1p-13, mask, n);
      ASSERT_TRUE(foreseen_slope<float>(model, n));
      const Word word = test::word_over(random, model, n);
      for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
        test::agreement(model, word, {{format, false}, false, false}, space);
        if (::testing::Test::HasFailure()) return;
        EXPECT_EQ(space.methods[0][0].method, run::Method::scan);
      }
    }
}

TEST(SegmentRanks, HoldInModels) {
  Random random(13);
  StructuredExecutor::Workspace space;
  constexpr Mask kMasks[] = {Mask::future, Mask::strict_future, Mask::past, Mask::strict_past, Mask::none};
  int ranked = 0;
  for (int k = 0; k < 150; ++k) {
    SCOPED_TRACE(k);
    const Mask mask = kMasks[k % 5];
    const bool backwards = mask == Mask::past || mask == Mask::strict_past;
    constexpr double kWords[] = {-4, -1, 1, 2};
    const double rise = random.chance(0.3) ? 0 : 0.5, gamma = random.chance(0.5) ? 16 : 0.25;
    model::Transformer model = sloped_model(gamma, kWords[random.below(4)], backwards ? -rise : rise, mask);
    if (random.chance(0.5)) {  // two values, of any size
      model.layers[0].heads[0].v = SparseMatrix(2, model.width);
      model.layers[0].heads[0].v.add(0, 3, 1);
      model.layers[0].heads[0].v.add(1, 2, 2 * random.unit() - 1);
      model.layers[0].heads[0].o = SparseMatrix(model.width, 2);
      model.layers[0].heads[0].o.add(4, 0, 1);
      model.layers[0].heads[0].o.add(4, 1, 0.5);
    }
    constexpr std::size_t kLengths[] = {1, 2, 15, 16, 17, 100, 333, 1024};
    const std::size_t n = k < 5 ? 4'500 : kLengths[random.below(std::size(kLengths))];  // of several windows
    Word word = test::word_over(random, model, n);
    if (random.chance(0.3))
      std::fill(word.begin(), word.begin() + static_cast<std::ptrdiff_t>(n * 2 / 3), kUnmentioned);
    ranked += foreseen_slope<float>(model, n).has_value();
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
      test::agreement(model, word, {{format, false}, false, false}, space);
      if (::testing::Test::HasFailure()) return;
      EXPECT_EQ(space.methods[0][0].method, run::Method::scan);
    }
  }
  EXPECT_GT(ranked, 75);
}

/// The windows before keep what they have.
TEST(SegmentRanks, GiveWayWhereTheyAreNoBooleans) {
  Random random(14);
  StructuredExecutor::Workspace space;
  for (const Mask mask : {Mask::future, Mask::past, Mask::none})
    for (const double other : {0.5, 1e-30}) {
      const model::Transformer model = sloped_model(16, 1, mask == Mask::past ? -0.5 : 0.5, mask, other);
      constexpr std::size_t n = 4'500;
      ASSERT_TRUE(foreseen_slope<float>(model, n));
      for (const std::size_t at : {n / 2, n - 1}) {
        Word word(n);
        for (Symbol& symbol : word) symbol = random.chance(0.2) ? 0 : kUnmentioned;
        word[at] = 1;
        for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
          test::agreement(model, word, {{format, false}, false, false}, space);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
}

}  // namespace
}  // namespace quench
