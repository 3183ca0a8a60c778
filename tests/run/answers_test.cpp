// How answers are read off the residual stream: halves, numbers that are none, numbers beyond all integers.
#include "run/answers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/example_model.h"

namespace quench::run {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN(), kInfinite = std::numeric_limits<double>::infinity();

/// One column of numbers, read as the kind says.
std::vector<std::int64_t> read_as(model::OutputKind kind, const std::vector<double>& column) {
  model::Transformer model = test::once_model();
  model.output = {kind, 0, {}};
  if (model::has_cases(kind)) model.output.cases = {{0, {"a"}}};
  Matrix residual(column.size(), 1);
  residual.data = column;
  return answers(model, residual);
}

using Answers = std::vector<std::int64_t>;

TEST(Answers, IntegersRoundHalvesAwayFromZero) {
  // Two positions, so that n·y has halves at quarters.
  EXPECT_EQ(read_as(model::OutputKind::integer, {0.25, 0.75}), (Answers{1, 2}));
  EXPECT_EQ(read_as(model::OutputKind::integer, {1.25, -1.25}), (Answers{3, -3}));
  EXPECT_EQ(read_as(model::OutputKind::integer, {-0.25, 0.2499999}), (Answers{-1, 0}));
  EXPECT_EQ(read_as(model::OutputKind::whole, {3, 0.4, -2.5, 1048577}), (Answers{3, 0, -3, 1048577}));
}

TEST(Answers, IntegersThatAreNoneReadAsMinusOne) {
  EXPECT_EQ(read_as(model::OutputKind::integer, {kNaN, kInfinite, -kInfinite, 0x1p60, 7}),
            (Answers{-1, -1, -1, -1, 35}));
  EXPECT_EQ(read_as(model::OutputKind::integer, {0x1p60, -0x1p60}),
            (Answers{std::int64_t{1} << 61, -(std::int64_t{1} << 61)}));
}

TEST(Answers, ScoresRoundToMillionths) {
  EXPECT_EQ(read_as(model::OutputKind::scores, {0.5e-6, -0.5e-6, kNaN, kInfinite, -2.25}),
            (Answers{1, -1, 0, -1, -2250000}));
}

TEST(Answers, HalfIsTrueAndNaNIsNot) {
  EXPECT_EQ(read_as(model::OutputKind::boolean, {0.5, std::nextafter(0.5, 0), kNaN, kInfinite, -kInfinite}),
            (Answers{1, 0, 0, 1, 0}));
  EXPECT_EQ(read_as(model::OutputKind::string, {0.5, std::nextafter(0.5, 0), kNaN}), (Answers{0, -1, -1}));
}

/// ∞ − ∞ in the sum of a hidden unit: ReLU does not take it for 0.
TEST(Answers, NaNGoesThroughReLU) {
  model::Transformer model = test::once_model();
  for (std::size_t row = 0; row < 3; ++row)
    for (const std::uint32_t column : {0, 3}) model.embedding.add(row, column, 1e10);
  model.layers[0].ffn.w1.add(0, 0, 1e308);
  model.layers[0].ffn.w1.add(0, 3, -1e308);
  for (const Engine engine : {Engine::reference, Engine::dense, Engine::structured}) {
    const Executor executor(model, {}, engine);
    Executor::Workspace workspace;
    std::vector<double> outputs;
    executor.outputs({0, 1}, workspace, outputs);
    for (const double y : outputs) EXPECT_TRUE(std::isnan(y)) << static_cast<int>(engine);
    EXPECT_EQ(booleans(outputs), (std::vector<std::uint8_t>{0, 0}));
  }
}

/// 2⁵³ + (1 + 1): each head alone would be lost in the residual stream, which is why it is added last.
TEST(Answers, HeadsAreAddedUpBeforeTheResidualStream) {
  model::Transformer model = test::once_model();
  model.layers[0].heads[0].o = SparseMatrix(4, 1);
  model.layers[0].heads[0].o.add(1, 0, 1);
  model.layers[0].heads.push_back(model.layers[0].heads[0]);
  model.layers[0].ffn.w2 = SparseMatrix(4, 2);
  model.embedding = SparseMatrix(3, 4);
  model.embedding.add(0, 1, 0x1p53);
  for (model::Head& head : model.layers[0].heads) {
    head.v = SparseMatrix(1, 4);
    head.v.add(0, 1, 0x1p-53);
  }
  model.output = {model::OutputKind::boolean, 1, {}};
  for (const Engine engine : {Engine::reference, Engine::dense, Engine::structured}) {
    const Executor executor(model, {}, engine);
    Executor::Workspace workspace;
    std::vector<double> outputs;
    executor.outputs({0}, workspace, outputs);
    EXPECT_EQ(outputs, std::vector<double>{0x1p53 + 2}) << static_cast<int>(engine);
  }
}

}  // namespace
}  // namespace quench::run
