// What is foreseen of a run must hold, and what does not hold must not be foreseen.
#include "run/structured/attention/foreseen.h"

#include <gtest/gtest.h>

#include "run/structured/pass.h"
#include "support/agreement.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench {
namespace {

using run::ForeseenHead;
using run::StructuredExecutor;

template <class T>
ForeseenHead<T> first_head(const model::Transformer& model, std::size_t n) {
  const run::ReferencePlan plan =
      run::make_reference_plan(model, {sizeof(T) == 4 ? NumberFormat::f32 : NumberFormat::f64, false});
  run::LaneSpace<T> space;
  run::tabulate(plan, run::make_layer_rows<T>(plan), n, /*many=*/true, space);
  return space.foreseen.heads[0][0];
}

TEST(Foreseen, AConstantQueryIsAScan) {
  const ForeseenHead<float> head = first_head<float>(test::once_model(), 10);
  EXPECT_TRUE(head.scan);
  EXPECT_FALSE(head.by_position);
  EXPECT_EQ(head.query, std::vector<std::optional<float>>{16.0f});
  EXPECT_TRUE(head.keys.empty());
  EXPECT_EQ(head.values, std::vector<double>{1.0});
}

TEST(Foreseen, ParitiesAreTwoClassesAndTheSameForAllWords) {
  const ForeseenHead<double> head = first_head<double>(test::previous_model(3), 10);
  EXPECT_TRUE(head.scan);
  EXPECT_TRUE(head.by_position);
  EXPECT_EQ(head.keys, (std::vector<double>{-1, 1}));
}

model::Transformer next_model(double gamma) {
  model::Transformer model = test::previous_model(gamma);
  model::Head& head = model.layers[0].heads[0];
  head.mask = Mask::past;
  SparseMatrix keys(head.k.rows.size(), model.width);
  keys.add(0, 2, 1);
  keys.add(1, 1, -1);
  head.k = keys;
  return model;
}

/// Keys of one kind are 2γ apart. T = 19.5 in float32, 39.6 in double.
TEST(Foreseen, AHeadLooksBackIfThatIsSharpEnough) {
  for (const bool back : {true, false}) {
    const auto model = [&](double gamma) { return back ? test::previous_model(gamma) : next_model(gamma); };
    for (const std::size_t n : {2, 3, 50, 4095, 4096, 4097, 20000}) {
      EXPECT_TRUE(first_head<float>(model(10), n).looks_back) << n;
      EXPECT_EQ(first_head<float>(model(9), n).looks_back, n == 2) << n;
      EXPECT_TRUE(first_head<double>(model(20), n).looks_back) << n;
      EXPECT_EQ(first_head<double>(model(19), n).looks_back, n == 2) << n;
    }
    model::Transformer other = model(20);
    other.layers[0].heads[0].mask = back ? Mask::past : Mask::future;
    EXPECT_FALSE(first_head<float>(other, 100).looks_back) << "the far end outweighs";
    other = model(20);
    other.layers[0].heads[0].mask = back ? Mask::strict_future : Mask::strict_past;
    EXPECT_FALSE(first_head<float>(other, 100).looks_back) << "its own is out of sight";
  }
}

/// One key that does not stand out among those of its kind is enough; wherever it is.
TEST(Foreseen, ASingleKeyDecidesAgainstLookingBack) {
  constexpr std::size_t kLength = 8200;
  for (const std::size_t flat : {3, 100, 4093, 4094, 4095, 4096, 4097, 4098, 8188, 8189, 8190, 8191, 8200}) {
    model::Transformer model = test::previous_model(20);
    std::vector<double> ranks;
    for (std::size_t i = 1; i <= kLength; ++i) ranks.push_back(static_cast<double>(i) / kLength);
    model.position_encodings[0].formula = {PositionFormula::Kind::table, {}, ranks};
    EXPECT_TRUE(first_head<float>(model, kLength).looks_back);
    ranks[flat - 1] -= 2.0 / kLength;  // no higher than the last one of its kind
    model.position_encodings[0].formula = {PositionFormula::Kind::table, {}, ranks};
    EXPECT_FALSE(first_head<float>(model, kLength).looks_back) << flat;
  }
}

/// Alone and at once, in one window and in several, in networks that look to one side and to both.
TEST(Foreseen, HeadsThatLookBackCopy) {
  Random random(6);
  StructuredExecutor::Workspace space;
  for (const bool both_sides : {false, true})
    for (const bool back : {true, false}) {
      model::Transformer model = back ? test::previous_model(40) : next_model(40);
      if (both_sides) {
        const model::Transformer other = back ? next_model(40) : test::previous_model(40);
        model.layers[0].heads.push_back(other.layers[0].heads[0]);
        model.layers[0].heads[1].v.add(0, 0, 1);
      }
      for (const std::size_t n : {1, 2, 15, 16, 17, 31, 33, 1919, 1920, 1921, 1937, 4000}) {
        SCOPED_TRACE(n);
        std::vector<Word> words;
        for (std::size_t w = 0; w < (n > 40 ? 1 : 19); ++w) words.push_back(test::word_over(random, model, n));
        for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
          test::agreement(model, words[0], {{format, false}, false, false}, space);
          if (n > 1) {
            EXPECT_EQ(space.methods[0][0].method, run::Method::copy);
          }
          if (words.size() > 1) test::expect_agreement_at_once(model, words, {{format, false}, false, false}, space);
          if (::testing::Test::HasFailure()) return;
        }
      }
    }
}

TEST(Foreseen, NothingWhereAQueryDependsOnTheSymbol) {
  model::Transformer model = test::once_model();
  model.layers[0].heads[0].q.add(0, 1, 1);
  EXPECT_TRUE(first_head<float>(model, 10).scan) << "keys 0 and 1: two classes";
  model.layers[0].heads[0].k.add(0, 0, 2);
  EXPECT_EQ(first_head<float>(model, 10).keys, (std::vector<float>{2, 3})) << "one of the coordinates does not vary";
  model.embedding.add(1, 2, 1);
  model.layers[0].heads[0].k.add(0, 2, 4);
  EXPECT_FALSE(first_head<float>(model, 10).scan) << "two of them vary";
}

TEST(Foreseen, NothingNearTheEndOfTheRange) {
  model::Transformer model = test::once_model();
  model.layers[0].heads[0].v.add(0, 0, 0x1p101);
  EXPECT_FALSE(first_head<float>(model, 10).scan);
  EXPECT_TRUE(first_head<double>(model, 10).scan);
  model.embedding.add(1, 3, std::numeric_limits<double>::infinity());
  model.layers[0].heads[0].v.add(0, 3, 1);
  EXPECT_FALSE(first_head<double>(model, 10).scan);
}

/// A layer that writes to a coordinate ends what was known of it.
TEST(Foreseen, WhatIsWrittenIsNoLongerConstant) {
  model::Transformer model = test::once_model();
  model.layers.push_back(model.layers[0]);
  model.layers[0].ffn.b2[0] = 1;
  const run::ReferencePlan plan = run::make_reference_plan(model, {NumberFormat::f64, false});
  run::LaneSpace<double> space;
  run::tabulate(plan, run::make_layer_rows<double>(plan), 5, /*many=*/false, space);
  EXPECT_TRUE(space.foreseen.heads[0][0].scan);
  EXPECT_FALSE(space.foreseen.heads[1][0].query[0]);
}

/// Compiled Booleans are ramps: their size does not grow from layer to layer, and deep networks stay foreseen.
TEST(Foreseen, RampsDoNotGrow) {
  model::Transformer model = test::once_model();
  model::Layer layer = model.layers[0];
  layer.ffn.w1 = SparseMatrix(3, 4);
  layer.ffn.w1.add(0, 2, 1);
  layer.ffn.w1.add(1, 2, 1);
  layer.ffn.w1.add(2, 2, 1);  // takes what the head wrote away again
  layer.ffn.b1 = {-0.25, -0.75, 0};
  layer.ffn.w2 = SparseMatrix(4, 3);
  layer.ffn.w2.add(3, 0, 2);
  layer.ffn.w2.add(3, 1, -2);
  layer.ffn.w2.add(2, 2, -1);
  model.layers.assign(2000, layer);
  const run::ReferencePlan plan = run::make_reference_plan(model, {NumberFormat::f32, false});
  run::LaneSpace<float> space;
  run::tabulate(plan, run::make_layer_rows<float>(plan), 5, /*many=*/false, space);
  EXPECT_TRUE(space.foreseen.heads.back()[0].scan);
}

/// Heads whose queries and keys read a constant, positions, or (now and then) the word; all masks, words alone and many
/// at once. What is foreseen plays no part in the reference.
TEST(Foreseen, HoldsOnRandomModels) {
  Random random(5);
  StructuredExecutor::Workspace space;
  int by_position = 0, scans = 0;
  for (int k = 0; k < 400; ++k) {
    test::RandomModelOptions options;
    options.density = 0.5;
    model::Transformer model = test::previous_model(3);
    model.layers[0].heads.clear();
    for (std::size_t h = 0; h < 1 + random.below(2); ++h) {
      model::Head head = test::random_head(random, model.width, options);
      head.weighting = Weighting::soft;
      if (random.chance(0.7)) head.temperature = Temperature::inverse_n;
      const double sharpness = random.chance(0.5) ? 1 : 200;  // above, a key may outweigh all others
      const bool parities = random.chance(0.5);               // against parities, in the first component
      const auto sources = [&](double word, bool sum, double parity) {
        SparseMatrix rows(head.q.rows.size(), model.width);
        for (std::size_t r = 0; r < rows.rows.size(); ++r) {
          if (r == 0 && parities) {
            rows.add(r, 2, parity);
            continue;
          }
          if (random.chance(word)) rows.add(r, 3, test::random_weight(random, options));
          if (sum) rows.add(r, 0, sharpness * test::random_weight(random, options));
          if (rows.rows[r].empty()) rows.add(r, 1 + random.below(2), 1);
        }
        return rows;
      };
      head.q = sources(0.1, random.chance(0.8), 0.5 * sharpness);
      head.k = sources(0.3, random.chance(0.3), 1);
      model.layers[0].heads.push_back(head);
    }
    if (random.chance(0.5)) model.layers.push_back(model.layers[0]);
    const std::size_t n = 1 + random.below(40);
    const ForeseenHead<double> head = first_head<double>(model, n);
    scans += head.scan;
    by_position += head.scan && head.by_position;
    std::vector<Word> words;
    for (std::size_t w = 0; w < 1 + random.below(40); ++w) words.push_back(test::word_over(random, model, n));
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
      SCOPED_TRACE(k);
      test::agreement(model, words[0], {{format, false}, false, false}, space);
      test::expect_agreement_at_once(model, words, {{format, false}, false, false}, space);
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(scans, 100);
  EXPECT_GT(by_position, 50);
}

}  // namespace
}  // namespace quench
