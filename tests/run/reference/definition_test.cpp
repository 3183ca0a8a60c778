// Where the fast executor must do as the definition does, or leave a head to it: hard attention, both ends of the
// format's range, numbers that only nearly have a structure.
#include <gtest/gtest.h>

#include <limits>

#include "base/error.h"
#include "run/stream/stream.h"
#include "run/structured/kernels/no_subnormals.h"
#include "run/structured/kernels/rank_kernel.h"
#include "run/structured/kernels/scan_kernel.h"
#include "run/structured/structured_executor.h"
#include "support/agreement.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench {
namespace {

constexpr NumberFormat kFormats[] = {NumberFormat::f32, NumberFormat::f64};

/// To the bit, one word and several, structured and dense.
void expect_same(const model::Transformer& model, const std::vector<Word>& words, const run::Options& options) {
  run::StructuredExecutor::Workspace space;
  run::Batch batch{words[0].size(), words.size(), {}};
  for (std::size_t i = 0; i < batch.n; ++i)
    for (const Word& word : words) batch.symbols.push_back(word[i]);
  for (const bool dense : {false, true}) {
    SCOPED_TRACE(dense ? "dense" : "structured");
    const run::StructuredExecutor fast(model, {options, dense, false});
    std::vector<double> outputs, together;
    fast.outputs(batch, space, together);
    for (std::size_t w = 0; w < words.size(); ++w) {
      const std::vector<double> expected = run::outputs(model, words[w], options);
      fast.outputs(run::Batch::of(words[w]), space, outputs);
      for (std::size_t i = 0; i < batch.n; ++i) {
        EXPECT_TRUE(test::same(outputs[i], expected[i])) << outputs[i] << " for " << expected[i];
        EXPECT_TRUE(test::same(together[i * batch.words + w], expected[i])) << "at once";
      }
    }
  }
}

/// Scores in which products and sums are rounded: which keys tie depends on every rounding.
TEST(Definition, HardAttentionIsTheReferencesToTheBit) {
  Random random(31);
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    test::RandomModelOptions options;
    options.small_weights = k % 2 == 0;
    model::Transformer model = test::random_model(random, options);
    for (model::Layer& layer : model.layers)
      for (model::Head& head : layer.heads) head.intended = static_cast<Weighting>(1 + random.below(3));
    const std::size_t n = 1 + random.below(30);
    std::vector<Word> words;
    for (int w = 0; w < 3; ++w) words.push_back(test::word_over(random, model, n));
    for (const NumberFormat format : kFormats) expect_same(model, words, {format, true});
    if (HasFailure()) return;
  }
}

/// A soft layer rounds otherwise than the reference, and the hard one after it could take another key.
TEST(Definition, WhatHardAttentionReadsIsTheReferencesToo) {
  Random random(32);
  int mixed = 0;
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    model::Transformer model = test::random_model(random);
    for (std::size_t l = 0; l < model.layers.size(); ++l)
      for (model::Head& head : model.layers[l].heads)
        head.weighting = l == 0 ? Weighting::soft : static_cast<Weighting>(1 + random.below(3));
    if (model.layers[1].heads.empty()) continue;
    mixed += !model.layers[0].heads.empty();
    const std::vector<Word> words{test::word_over(random, model, 20), test::word_over(random, model, 20)};
    for (const NumberFormat format : kFormats) expect_same(model, words, {format, false});
    if (HasFailure()) return;
  }
  EXPECT_GT(mixed, 50);
}

/// Of once_model(): one number for each of a score's parts, the values and what is added.
model::Transformer sized_model(double q, double k, double v, double o) {
  model::Transformer model = test::once_model();
  model::Head& head = model.layers[0].heads[0];
  head.q = head.k = head.v = SparseMatrix(1, 4);
  head.o = SparseMatrix(4, 1);
  head.q.add(0, 0, q);
  head.q.add(0, 1, q / 4);  // two queries: nothing is foreseen
  head.k.add(0, 1, k);
  head.k.add(0, 0, k / 2);
  head.v.add(0, 1, v);
  head.v.add(0, 0, v / 2);
  head.o.add(2, 0, o);
  model.output.coordinate = 2;
  return model;
}

TEST(Definition, NumbersNearTheEndOfTheRange) {
  Random random(33);
  constexpr double kSizes[][4] = {
      {0x1p70, 0x1p60, 1, 1},   // scores overflow in float32
      {0x1p64, 0x1p63, 1, 1},   // they do not, but differences do
      {1, 1, 0x1.8p127, 1},     // the sum of the values does
      {1, 1, 0x1p100, 0x1p28},  // so does what is added,
      {1, 1, 0x1p-30, 0x1p127}, {1, 1, 0x1p-140, 0x1p126},  // or it is made of subnormal numbers
      {0x1p-140, 0x1p127, 1, 1}, {0x1p-149, 0x1p-149, 1, 1},
  };
  for (const auto& [q, k, v, o] : kSizes)
    for (const bool wide : {false, true}) {  // likewise in double
      const auto size = [&](double x) { return wide ? std::ldexp(x, 8 * std::ilogb(x) - std::ilogb(x)) : x; };
      const NumberFormat format = wide ? NumberFormat::f64 : NumberFormat::f32;
      SCOPED_TRACE(testing::Message() << q << ' ' << k << ' ' << v << ' ' << o << (wide ? ", f64" : ", f32"));
      const auto finite = [](double x) { return std::isinf(x) ? std::numeric_limits<double>::max() : x; };
      const model::Transformer model = sized_model(finite(size(q)), finite(size(k)), finite(size(v)), finite(size(o)));
      run::StructuredExecutor::Workspace space;
      for (const std::size_t n : {1, 5, 70}) {
        std::vector<Word> words;
        for (int w = 0; w < 4; ++w) words.push_back(test::word_over(random, model, n));
        for (const bool dense : {false, true}) {
          test::agreement(model, words[0], {{format, false}, dense, false}, space);
          test::expect_agreement_at_once(model, words, {{format, false}, dense, false}, space);
        }
        if (HasFailure()) return;
      }
    }
  run::StructuredExecutor::Workspace space;
  std::vector<double> outputs;
  run::StructuredExecutor(sized_model(0x1p70, 0x1p60, 1, 1), {{NumberFormat::f32, false}, false, false})
      .outputs(run::Batch::of({0, 1, 0}), space, outputs);
  EXPECT_NE(space.methods[0][0].reason.find("near the end"), std::string::npos);
}

TEST(Definition, AStreamRefusesNumbersNearTheEnd) {
  const run::Options options{NumberFormat::f32, false};
  run::StreamExecutor stream(sized_model(0x1p70, 0x1p60, 1, 1), options);
  EXPECT_THROW(stream.push(0), UserError);
  run::StreamExecutor usual(sized_model(4, 1, 1, 1), options);
  EXPECT_NO_THROW(usual.push(0));
}

/// Keys 0, a few times the least number and ¼: three classes. Were two of them taken for one, or a key for both, it
/// would count too much beside those of the third.
TEST(Definition, SubnormalKeysAreTold) {
  Random random(34);
  run::StructuredExecutor::Workspace space;
  for (const NumberFormat format : kFormats) {
    const double least = format == NumberFormat::f32 ? 0x1p-149 : 0x1p-1074;
    for (const double key : {least, 3 * least})
      for (const Mask mask : {Mask::none, Mask::future, Mask::past, Mask::strict_future, Mask::strict_past}) {
        model::Transformer model = test::once_model();
        model::Head& head = model.layers[0].heads[0];
        head.mask = mask;
        head.q = head.k = SparseMatrix(1, 4);
        head.q.add(0, 0, 1);
        head.q.add(0, 1, 2);
        head.k.add(0, 3, 1);
        model.embedding.add(0, 3, key);
        model.embedding.add(2, 3, 0.25);
        model.output.coordinate = 2;
        for (const std::size_t n : {1, 7, 40, 300}) {
          SCOPED_TRACE(n);
          std::vector<Word> words;
          for (int w = 0; w < (n > 100 ? 1 : 5); ++w) words.push_back(test::word_over(random, model, n));
          for (const bool dense : {false, true}) {
            test::agreement(model, words[0], {{format, false}, dense, false}, space);
            if (words.size() > 1)
              test::expect_agreement_at_once(model, words, {{format, false}, dense, false}, space);
          }
          if (HasFailure()) return;
        }
      }
  }
}

TEST(Definition, ASubnormalNumberIsNoRank) {
  run::Ranks<double> ranks;
  ranks.high = 0;
  ranks.flat = true;
  ranks.keep_high = ranks.keep_low = {1, 1};
  std::vector<double> rank(2 * run::kLanes, 1.0), v(2 * run::kLanes, 1.0), out(2 * run::kLanes);
  const run::RankRows<double> rows{2, false, false, rank.data(), v.data(), out.data()};
  EXPECT_TRUE(run::scan_ranks(ranks, rows));
  rank[17] = 0x1p-1074;
  EXPECT_FALSE(run::scan_ranks(ranks, rows));
}

TEST(Definition, SubnormalResultsAreFlushedAndOperandsAreNot) {
  volatile double least = std::numeric_limits<double>::denorm_min(), normal = std::numeric_limits<double>::min();
  {
    const run::NoSubnormals guard;
    EXPECT_NE(least, 0.0) << "compared as it is";
#if defined(__SSE2__)
    EXPECT_EQ(normal * 0.5, 0.0);
#endif
  }
  try {
    const run::NoSubnormals guard;
    throw 0;
  } catch (int) {
  }
  EXPECT_NE(normal * 0.5, 0.0) << "afterwards everything is as before";
}

/// Products with powers of two are exact only among normal numbers: position-wise sums must round them all the same.
TEST(Definition, PositionWiseSumsAreTheReferencesAtBothEnds) {
  for (const NumberFormat format : kFormats) {
    const bool single = format == NumberFormat::f32;
    const double least = single ? 0x1p-149 : 0x1p-1074, power = single ? 0x1p127 : 0x1p1023;
    model::Transformer model = test::once_model();
    model.layers[0].heads.clear();
    model.embedding.add(0, 2, least);
    model.embedding.add(0, 3, least);
    model.embedding.add(2, 2, -power);
    model.embedding.add(2, 3, power);
    model::FeedForward& ffn = model.layers[0].ffn;
    ffn = {SparseMatrix(2, 4), {0, 0}, SparseMatrix(4, 2), {0, 0, 0, 0}};
    ffn.w1.add(0, 2, 1);
    ffn.w1.add(0, 3, 0.5);  // half the least number is 0, but not if it is added before it is rounded
    ffn.w1.add(1, 2, 1);
    ffn.w1.add(1, 3, 2);  // twice the power is infinite, and stays so
    ffn.w2.add(2, 0, 1);
    ffn.w2.add(3, 1, 1);
    for (const std::uint32_t output : {2U, 3U}) {
      model.output.coordinate = output;
      expect_same(model, {{0, 1, -1, 0}, {-1, 0, 1, 1}}, {format, false});
    }
  }
}

/// Where products with it are rounded, the difference of two units is not the ramp they stand for.
TEST(Definition, RampsOfSubnormalHeightAreTheirUnits) {
  for (const NumberFormat format : kFormats) {
    const double weight = format == NumberFormat::f32 ? 0x1p-148 : 0x1p-1073;
    model::Transformer model = test::once_model();
    model.layers[0].heads.clear();
    model.embedding.add(0, 2, 1);
    model.embedding.add(1, 2, 0.625);
    model.layers[0].ffn.w2 = SparseMatrix(4, 2);
    model.layers[0].ffn.w2.add(3, 0, weight);
    model.layers[0].ffn.w2.add(3, 1, -weight);
    expect_same(model, {{0, 1, -1, 0}, {-1, 0, 1, 1}}, {format, false});
  }
}

/// However low a ramp is, its units may be too large for the format: what they leave is not a number.
TEST(Definition, RampsWhoseUnitsOverflowAreNotForeseen) {
  for (const NumberFormat format : kFormats) {
    const int far = format == NumberFormat::f32 ? 90 : 800;
    model::Transformer model = test::once_model();
    const model::Layer attention = model.layers[0];
    model.layers[0].heads.clear();
    model::FeedForward& ffn = model.layers[0].ffn;
    ffn.w1 = SparseMatrix(2, 4);
    ffn.w1.add(0, 1, std::ldexp(1.0, far));
    ffn.w1.add(1, 1, std::ldexp(1.0, far));
    ffn.w2 = SparseMatrix(4, 2);
    ffn.w2.add(2, 0, std::ldexp(1.0, far));
    ffn.w2.add(2, 1, -std::ldexp(1.0, far));
    model.layers.push_back(attention);
    model::Head& head = model.layers[1].heads[0];
    head.k.add(0, 2, 1);
    head.v.add(0, 2, 1);
    expect_same(model, {{1, 1, 0, 1, -1}, {0, 1, 1, 1, 1}, {1, -1, 1, 1, 1}}, {format, false});
  }
}

/// What a word does not contain says nothing of the size of its values.
TEST(Definition, SmallMeansStay) {
  run::StructuredExecutor::Workspace space;
  model::Transformer model = test::once_model();
  model.embedding.add(1, 1, 0x1p-90);
  model.output.coordinate = 2;
  for (const NumberFormat format : kFormats)
    for (const bool dense : {false, true}) {
      const Word word(20, 1);
      std::vector<double> outputs;
      const run::StructuredExecutor fast(model, {{format, false}, dense, false});
      fast.outputs(run::Batch::of(word), space, outputs);
      for (const double x : outputs) EXPECT_NEAR(x, 0x1p-90, 0x1p-100);
      test::expect_agreement_at_once(model, {word, word}, {{format, false}, dense, false}, space);
    }
}

/// Keys that are nearly j and j², or nearly j(−1)^j: in double, a part in ten million is no rounding.
TEST(Definition, KeysThatOnlyNearlyFollowThePositionsAreNotTakenForThem) {
  Random random(35);
  run::StructuredExecutor::Workspace space;
  using Kind = PositionFormula::Kind;
  for (const bool series : {false, true}) {
    model::Transformer model = test::previous_model(1);
    model.position_encodings = {{1, {series ? Kind::index_alternating : Kind::index, {}, {}}},
                                {2, {series ? Kind::alternating : Kind::index_sq, {}, {}}}};
    model::Head& head = model.layers[0].heads[0];
    head.temperature = Temperature::one;
    head.q = head.k = SparseMatrix(series ? 1 : 2, 5);
    head.v = SparseMatrix(1, 5);
    head.k.add(0, 1, 1);
    head.k.add(0, 3, 1e-7);
    if (series) {
      head.q.add(0, 0, 0.05);
      head.q.add(0, 3, -0.1);
      head.v.add(0, 2, 1);
    } else {
      head.q.add(0, 0, 10);
      head.q.add(0, 3, 10);
      head.q.add(1, 0, -0.5);
      head.k.add(1, 2, 1);
      head.v.add(0, 3, 1);
    }
    for (const std::size_t n : {9, 40, 300}) {
      SCOPED_TRACE(n);
      test::agreement(model, test::word_over(random, model, n), {{}, false, false}, space);
    }
  }
}

}  // namespace
}  // namespace quench
