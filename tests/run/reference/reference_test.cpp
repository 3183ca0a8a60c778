// The reference executor against a naive dense implementation, in double and in native float, bit for bit.
#include "run/reference/reference.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/error.h"
#include "run/structured/methods/naive.h"
#include "support/random_model.h"

namespace quench::run {
namespace {

using test::RandomModelOptions;

/// Equal as numbers; two NaNs are equal.
void expect_same(double got, double expected, const std::string& where) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got)) << where;
  } else {
    EXPECT_EQ(got, expected) << where;
  }
}

template <class Real, class Store>
void compare(const model::Transformer& model, const Word& word, const Options& options) {
  std::vector<std::vector<test::Dense<Real>>> alphas;
  const auto expected = test::naive_run<Real, Store>(model, word, options.hard, &alphas);
  std::vector<std::vector<test::Dense<Real>>> seen;
  for (const auto& layer : model.layers)
    seen.emplace_back(layer.heads.size(), test::Dense<Real>(word.size(), std::vector<Real>(word.size(), Real(0))));
  Observer observer;
  observer.row = [&](HeadIndex head, std::size_t i, std::size_t first, const std::vector<double>& weights) {
    for (std::size_t at = 0; at < weights.size(); ++at)
      seen[head.layer][head.head][i - 1][first + at - 1] = static_cast<Real>(weights[at]);
  };
  const Matrix got = run(model, word, options, observer);
  ASSERT_EQ(got.rows, word.size());
  for (std::size_t i = 0; i < got.rows; ++i)
    for (std::size_t c = 0; c < got.cols; ++c)
      expect_same(got(i, c), static_cast<double>(expected[i][c]),
                  "h[" + std::to_string(i) + "," + std::to_string(c) + "]");
  for (std::size_t l = 0; l < alphas.size(); ++l)
    for (std::size_t h = 0; h < alphas[l].size(); ++h)
      for (std::size_t i = 0; i < word.size(); ++i)
        for (std::size_t j = 0; j < word.size(); ++j)
          expect_same(static_cast<double>(seen[l][h][i][j]), static_cast<double>(alphas[l][h][i][j]), "alpha");
}

template <class Real, class Store = test::AsItIs>
void compare_random_models(NumberFormat format, std::uint64_t seed, int count, std::size_t longest = 90) {
  Random random(seed);
  for (int trial = 0; trial < count; ++trial) {
    RandomModelOptions options;
    options.layers = static_cast<int>(random.below(4));
    options.heads = 3;
    options.small_weights = trial % 3 == 0;
    options.density = trial % 2 == 0 ? 0.15 : 0.5;
    options.scale = 0.5;
    const model::Transformer model = test::random_model(random, options);
    const Word word = test::word_over(random, model, 1 + random.below(trial % 10 == 0 ? longest : 9));
    compare<Real, Store>(model, word, {format, trial % 2 == 1});
    if (testing::Test::HasFailure()) FAIL() << "trial " << trial;
  }
}

TEST(Reference, EqualsTheNaiveDenseImplementationInDouble) { compare_random_models<double>(NumberFormat::f64, 1, 600); }

TEST(Reference, EqualsANativeFloatImplementationBitForBit) { compare_random_models<float>(NumberFormat::f32, 2, 600); }

TEST(Reference, EqualsAFloatImplementationThatStoresNarrowBitForBit) {
  compare_random_models<float, test::Narrow<8, -126>>(NumberFormat::bf16, 3, 600);
  compare_random_models<float, test::Narrow<11, -14>>(NumberFormat::f16, 4, 600, 9);  // 9³ is within range, 90³ is not
}

/// One head over symbols a, b: value [is a], score 0, so a mean of what is visible.
model::Transformer mean_model(Mask mask, Weighting weighting = Weighting::soft) {
  model::Transformer model;
  model.alphabet = Alphabet({"a", "b"});
  model.width = 2;
  model.embedding = SparseMatrix(3, 2);
  model.embedding.add(0, 0, 1);
  model::Head head;
  head.name = "mean";
  head.mask = mask;
  head.weighting = weighting;
  head.q = head.k = head.v = SparseMatrix(1, 2);
  head.v.add(0, 0, 1);
  head.o = SparseMatrix(2, 1);
  head.o.add(1, 0, 1);
  model.layers.push_back({{head}, {SparseMatrix(0, 2), {}, SparseMatrix(2, 0), {0, 0}}});
  model.output = {model::OutputKind::boolean, 1, {}};
  model::validate(model);
  return model;
}

TEST(Reference, EmptyRowsOfStrictMasksGiveZero) {
  const Word aba{0, 1, 0};
  EXPECT_EQ(outputs(mean_model(Mask::strict_future), aba), (std::vector<double>{0, 1, 0.5}));
  EXPECT_EQ(outputs(mean_model(Mask::strict_past), aba), (std::vector<double>{0.5, 1, 0}));
  EXPECT_EQ(outputs(mean_model(Mask::future), aba), (std::vector<double>{1, 0.5, 2.0 / 3}));
  EXPECT_EQ(outputs(mean_model(Mask::past), aba), (std::vector<double>{2.0 / 3, 0.5, 1}));
  for (const Mask mask : {Mask::none, Mask::future, Mask::past})
    EXPECT_EQ(outputs(mean_model(mask), {0}), (std::vector<double>{1}));
  for (const Mask mask : {Mask::strict_future, Mask::strict_past})
    EXPECT_EQ(outputs(mean_model(mask), {0}), (std::vector<double>{0}));
}

TEST(Reference, HardWeightingsBreakTiesAsNamed) {
  const Word abb{0, 1, 1};
  EXPECT_EQ(outputs(mean_model(Mask::none, Weighting::lhardmax), abb), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(outputs(mean_model(Mask::none, Weighting::rhardmax), abb), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(outputs(mean_model(Mask::none, Weighting::ahardmax), abb),
            (std::vector<double>{1.0 / 3, 1.0 / 3, 1.0 / 3}));
}

TEST(Reference, IntendedWeightingAppliesOnlyWhenAskedFor) {
  model::Transformer model = mean_model(Mask::none);
  model.layers[0].heads[0].intended = Weighting::rhardmax;
  EXPECT_EQ(outputs(model, {1, 0}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(outputs(model, {1, 0}, {NumberFormat::f64, true}), (std::vector<double>{1, 1}));
  model.layers[0].heads[0].intended = Weighting::soft;
  EXPECT_EQ(outputs(model, {1, 0}, {NumberFormat::f64, true}), (std::vector<double>{0.5, 0.5}));
}

/// q·k = ∞ on every key, times 0-valued keys NaN: rows whose scores are not numbers.
TEST(Reference, RowsOfInfiniteOrUndefinedScoresDoNotCrash) {
  model::Transformer model = mean_model(Mask::none);
  model::Head& head = model.layers[0].heads[0];
  head.q.add(0, 0, 1e300);
  head.k.add(0, 0, -1e300);
  const Word aba{0, 1, 0};  // scores from an "a": −∞, 0 (or NaN), −∞
  for (const Weighting weighting : {Weighting::lhardmax, Weighting::rhardmax, Weighting::ahardmax}) {
    head.weighting = weighting;
    for (const double value : outputs(model, aba)) EXPECT_TRUE(value >= 0 && value <= 1);
    EXPECT_EQ(outputs(model, {0, 0}), (std::vector<double>{1, 1}));  // all −∞: all tie
  }
  head.weighting = Weighting::soft;
  EXPECT_TRUE(std::isnan(outputs(model, {0, 0})[0]));
}

TEST(Reference, PureFormatsRoundAfterEveryOperation) {
  // Mean over five a's of nine: the counts are exact in every format, the quotient is the rounded 5/9 = 0.10001110…b.
  const Word word{0, 1, 0, 1, 0, 1, 0, 1, 0};
  const model::Transformer model = mean_model(Mask::none);
  EXPECT_EQ(outputs(model, word, {NumberFormat::bf16_pure, false})[0], 0x1.1cp-1);
  EXPECT_EQ(outputs(model, word, {NumberFormat::bf16, false})[0], 0x1.1cp-1);
  EXPECT_EQ(outputs(model, word, {NumberFormat::f16_pure, false})[0], 0x1.1c8p-1);
  // Four bits count to 16 only: 1 + 1 + … stays at 16 from the 17th on (ties to even).
  const Word long_word(40, 0);
  EXPECT_EQ(outputs(model, long_word, {NumberFormat::f8e4m3, false})[0], 1);  // 16/16
  Word half(40, 1);
  for (std::size_t i = 0; i < 20; ++i) half[i] = 0;
  EXPECT_EQ(outputs(model, half, {NumberFormat::f8e4m3, false})[0], 1);  // 16/16 again, not 20/40
  EXPECT_EQ(outputs(model, half, {NumberFormat::f8e5m2, false})[0], 1);  // 8/8
  EXPECT_EQ(outputs(model, half, {NumberFormat::f64, false})[0], 0.5);
}

TEST(Reference, StoredFormatsRoundWeightsOnceAndComputeInSingle) {
  // 1/3 as bf16 is 0x1.56p-2. Stored bf16, computed float: 3 · 0x1.56p-2 = 1.001953125, stored again 1.
  model::Transformer model = mean_model(Mask::none);
  model.layers[0].heads.clear();
  model::FeedForward& ffn = model.layers[0].ffn;
  ffn = {SparseMatrix(2, 2), {0, 0}, SparseMatrix(2, 2), {0, 0}};
  ffn.w1.add(0, 0, 1.0 / 3);
  ffn.w2.add(1, 0, 3);
  model::validate(model);
  EXPECT_EQ(outputs(model, {0}, {NumberFormat::bf16, false})[0], 1.0);
  EXPECT_EQ(outputs(model, {0}, {NumberFormat::f32, false})[0],
            static_cast<double>(static_cast<float>(3.0 * static_cast<double>(1.0f / 3.0f))));
  // A weight below the smallest f16 subnormal is no weight.
  ffn.w2 = SparseMatrix(2, 2);
  ffn.w2.add(1, 0, 1e-9);
  EXPECT_EQ(outputs(model, {0}, {NumberFormat::f16, false})[0], 0.0);
  EXPECT_GT(outputs(model, {0}, {NumberFormat::bf16, false})[0], 0.0);
}

/// [P-L9] 2ReLU(x − ¼) − 2ReLU(x − ¾) with the bias last is exactly 0 or 1 outside (¼, ¾), in every format.
TEST(Reference, TheRoundingSublayerIsExactInEveryFormat) {
  for (const NumberFormat format : all_number_formats()) {
    for (int step = -40; step <= 140; ++step) {
      const double x = round_to(storage_format(format), step / 100.0);
      if (x > 0.25 && x < 0.75) continue;
      model::Transformer model = mean_model(Mask::none);
      model.layers[0].heads.clear();
      model.embedding = SparseMatrix(3, 2);
      model.embedding.add(0, 0, x);
      model::FeedForward& ffn = model.layers[0].ffn;
      ffn = {SparseMatrix(2, 2), {-0.25, -0.75}, SparseMatrix(2, 2), {0, 0}};
      ffn.w1.add(0, 0, 1);
      ffn.w1.add(1, 0, 1);
      ffn.w2.add(1, 0, 2);
      ffn.w2.add(1, 1, -2);
      const double y = outputs(model, {0}, {format, false})[0];
      if (std::abs(x) <= 1) {
        EXPECT_EQ(y, x >= 0.75 ? 1 : 0) << to_string(format) << " at " << x;
      }
    }
  }
}

TEST(Reference, AblatedHeadsContributeNothing) {
  Random random(5);
  for (int trial = 0; trial < 50; ++trial) {
    model::Transformer model = test::random_model(random);
    if (model.layers[1].heads.empty()) continue;
    const Word word = test::word_over(random, model, 1 + random.below(6));
    Observer observer;
    observer.ablated = [](HeadIndex head) { return head == HeadIndex{1, 0}; };
    const Matrix ablated = run(model, word, {}, observer);
    model.layers[1].heads.erase(model.layers[1].heads.begin());
    EXPECT_EQ(ablated, run(model, word));
  }
}

TEST(Reference, ThePatchedResidualIsWhatTheNextSublayerReads) {
  const model::Transformer model = mean_model(Mask::none);
  Observer observer;
  std::vector<int> seen;
  observer.residual = [&](int sublayer, Matrix& residual) {
    seen.push_back(sublayer);
    if (sublayer == 0) residual(1, 0) = 7;
  };
  EXPECT_EQ(outputs(model, {0, 1}, {}, observer), (std::vector<double>{4, 4}));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST(Reference, OneExecutorServesManyWordsLengthsAndThreads) {
  Random random(9);
  const model::Transformer model = test::random_model(random, {.layers = 3, .heads = 3});
  std::vector<Word> words;
  for (int count = 0; count < 200; ++count) words.push_back(test::word_over(random, model, 1 + random.below(80)));
  std::vector<std::vector<double>> expected;
  for (const Word& word : words) expected.push_back(outputs(model, word));
  const ReferenceExecutor executor(model);
  const auto check = [&](std::vector<int>& wrong) {
    ReferenceExecutor::Workspace workspace;
    std::vector<double> result;
    for (std::size_t index = 0; index < words.size(); ++index) {
      executor.outputs(words[index], workspace, result);
      for (std::size_t i = 0; i < result.size(); ++i)
        if (!(result[i] == expected[index][i] || (std::isnan(result[i]) && std::isnan(expected[index][i]))))
          wrong.push_back(static_cast<int>(index));
    }
  };
  std::vector<int> wrong_here, wrong_there;
  std::thread other([&] { check(wrong_there); });
  check(wrong_here);
  other.join();
  EXPECT_TRUE(wrong_here.empty() && wrong_there.empty());
}

TEST(Reference, OneWorkspaceServesSeveralExecutors) {
  model::Transformer one = mean_model(Mask::none), two = mean_model(Mask::none);
  one.position_encodings.push_back({0, {PositionFormula::Kind::index, {}}});
  two.position_encodings.push_back({0, {PositionFormula::Kind::length, {}}});
  ReferenceExecutor::Workspace workspace;
  std::vector<double> result;
  const ReferenceExecutor first(one), second(two);
  for (int round = 0; round < 2; ++round) {
    first.outputs({1, 1, 1}, workspace, result);
    EXPECT_EQ(result[0], 2);
    second.outputs({1, 1, 1}, workspace, result);
    EXPECT_EQ(result[0], 3);
  }
}

TEST(Reference, RefusesWordsItHasNoValueFor) {
  const model::Transformer model = mean_model(Mask::none);
  EXPECT_THROW(run(model, {}), UserError);
  EXPECT_THROW(run(model, {2}), UserError);
  EXPECT_THROW(run(model, {-2}), UserError);
  EXPECT_NO_THROW(run(model, {kUnmentioned}));
}

TEST(Reference, PredicatesWithoutValueLeaveTheExecutorUsable) {
  using Op = IntInstruction::Op;
  model::Transformer model = mean_model(Mask::none);
  Predicate predicate{Predicate::Kind::expression, "q", 0, 0, {}, {}};  // 1 / (3 − i): no value at i = 3
  predicate.code = {{Op::constant, 1}, {Op::constant, 3}, {Op::x, 0}, {Op::subtract, 0}, {Op::divide, 0}};
  model.position_encodings.push_back({0, {PositionFormula::Kind::predicate, predicate}});
  const ReferenceExecutor executor(model);
  ReferenceExecutor::Workspace workspace;
  std::vector<double> result;
  for (int round = 0; round < 2; ++round) {
    EXPECT_THROW(executor.outputs({0, 0, 0}, workspace, result), UserError);
    EXPECT_NO_THROW(executor.outputs({0, 0}, workspace, result));
    EXPECT_THROW(executor.outputs(Word(100, 0), workspace, result), UserError);
  }
}

TEST(Reference, BooleansReadHalfAsTrueAndNaNAsFalse) {
  EXPECT_EQ(booleans({0, 0.4999, 0.5, 1, std::nan("")}), (std::vector<std::uint8_t>{0, 0, 1, 1, 0}));
}

}  // namespace
}  // namespace quench::run
