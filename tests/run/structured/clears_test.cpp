// Clearing that is left out (make_layer_rows): outputs must be those of the whole network.
#include <gtest/gtest.h>

#include "run/structured/pass.h"
#include "support/agreement.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench {
namespace {

using run::StructuredExecutor;

constexpr std::uint32_t kOne = 0, kWord = 1, kParity = 2, kScratch = 3, kWidth = 6;

/// A feed-forward in the making.
struct Rows {
  std::vector<std::pair<SparseMatrix::Row, double>> units;  // with their biases
  std::vector<SparseMatrix::Row> written = std::vector<SparseMatrix::Row>(kWidth);

  void add(std::uint32_t to, double weight, SparseMatrix::Row unit, double bias) {
    written[to].push_back({static_cast<std::uint32_t>(units.size()), weight});
    units.emplace_back(std::move(unit), bias);
  }
  void clear(std::uint32_t c) { add(c, -1, {{c, 1}}, 0); }
  void add_ramp(std::uint32_t to, std::uint32_t from, double weight = 2, double begin = 0.25) {
    add(to, weight, {{from, 1}}, -begin);
    add(to, -weight, {{from, 1}}, -begin - 0.5);
  }
  model::FeedForward make() const {
    model::FeedForward ffn{
        SparseMatrix(units.size(), kWidth), {}, SparseMatrix(kWidth, units.size()), std::vector<double>(kWidth)};
    for (std::size_t u = 0; u < units.size(); ++u) {
      for (const auto& [column, value] : units[u].first) ffn.w1.add(u, column, value);
      ffn.b1.push_back(units[u].second);
    }
    for (std::size_t c = 0; c < kWidth; ++c)
      for (const auto& [unit, value] : written[c]) ffn.w2.add(c, unit, value);
    return ffn;
  }
};

model::Transformer empty_model() {
  model::Transformer model;
  model.alphabet = Alphabet({"a", "b"});
  model.width = kWidth;
  model.embedding = SparseMatrix(3, kWidth);
  for (std::size_t row = 0; row < 3; ++row) model.embedding.add(row, kOne, 1);
  model.embedding.add(0, kWord, 1);
  model.position_encodings = {{kParity, {PositionFormula::Kind::alternating, {}}}};
  model.output = {model::OutputKind::boolean, kWidth - 1, {}};
  return model;
}

/// Looks for `key` and returns weight·from (+ 1 if `from_one`).
model::Head head_to(std::uint32_t to, std::uint32_t key, std::uint32_t from, double weight, bool from_one) {
  model::Head head;
  head.mask = Mask::future;
  head.q = head.k = head.v = SparseMatrix(1, kWidth);
  head.q.add(0, kOne, 16);
  head.k.add(0, key, 1);
  if (from_one) head.v.add(0, kOne, 1);
  head.v.add(0, from, weight);
  head.o = SparseMatrix(kWidth, 1);
  head.o.add(to, 0, 1);
  return head;
}

template <class T>
std::size_t written_rows(const std::vector<run::LayerRows<T>>& layers) {
  std::size_t count = 0;
  for (const run::LayerRows<T>& layer : layers) count += layer.written.rows.size();
  return count;
}

/// How many rows are left out.
std::size_t left_out(const model::Transformer& model, std::size_t n = 10) {
  const run::ReferencePlan plan = run::make_reference_plan(model, {NumberFormat::f32, false});
  const std::vector<run::LayerRows<float>> layers = run::make_layer_rows<float>(plan);
  run::LaneSpace<float> space;
  run::tabulate(plan, layers, n, /*many=*/false, space);
  return written_rows(layers) - written_rows(space.lean);
}

/// A head writes 3, a ramp makes 4 of it, 3 is cleared and written anew, and a ramp adds it up in the output.
model::Transformer reusing_model() {
  model::Transformer model = empty_model();
  Rows first, second;
  first.add_ramp(4, 3);
  first.clear(3);
  second.add_ramp(kWidth - 1, 3);
  model.layers.push_back({{head_to(3, kWord, kWord, 1, false)}, first.make()});
  model.layers.push_back({{head_to(3, 4, 4, 1, false)}, second.make()});
  return model;
}

TEST(Clears, AreLeftOutWhereNothingIsLeft) {
  EXPECT_EQ(left_out(reusing_model()), 1);

  model::Transformer below = reusing_model();  // 3 may be −1
  below.layers[0].heads[0] = head_to(3, kWord, kWord, -1, false);
  EXPECT_EQ(left_out(below), 0);
  below.layers[0].heads[0] = head_to(3, kWord, kParity, 1, false);
  EXPECT_EQ(left_out(below), 0);
  below.layers[0].heads[0] = head_to(3, kWord, kWord, -1, true);  // 1 − [symbol = a]
  EXPECT_EQ(left_out(below), 1);

  for (const double weight : {2, -2}) {  // a ramp that falls
    model::Transformer ramp = reusing_model();
    Rows first, second;
    first.add_ramp(4, 3, weight);
    second.clear(4);
    ramp.layers[0].ffn = first.make();
    ramp.layers[1].ffn = second.make();
    EXPECT_EQ(left_out(ramp), weight > 0 ? 1 : 0);
  }

  model::Transformer read = reusing_model();  // by the next layer's head
  read.layers[1].heads[0] = head_to(3, 3, 4, 1, false);
  EXPECT_EQ(left_out(read), 0);
  read = reusing_model();  // by its feed-forward, before anything is written
  read.layers[1].heads.clear();
  EXPECT_EQ(left_out(read), 0);
  read = reusing_model();  // in the end
  read.layers.pop_back();
  EXPECT_EQ(left_out(read), 1);
  read.output.coordinate = 3;
  EXPECT_EQ(left_out(read), 0);

  model::Transformer unbounded = reusing_model();  // NaN stays NaN
  unbounded.layers[0].heads[0].k.add(0, kOne, 0x1p126);
  EXPECT_EQ(left_out(unbounded), 0);
}

/// 1 − x is not below 0 if x is a ramp of height 1, whatever it rises from; not if its biases round.
TEST(Clears, RampsEndWhereTheyShould) {
  model::Transformer model = reusing_model();
  Rows last;
  last.clear(3);
  model.layers[1] = {{head_to(3, kWord, 4, -1, true)}, last.make()};
  model.layers.push_back({{head_to(3, kWord, 4, 1, false)}, Rows().make()});
  model.output.coordinate = 3;
  EXPECT_EQ(left_out(model), 2);
  model.layers[0].ffn.b1[0] = -0.3;
  model.layers[0].ffn.b1[1] = -0.8;
  EXPECT_EQ(left_out(model), 1);

  Random random(21);
  for (int k = 0; k < 2'000'000; ++k) {
    const float s = static_cast<float>(std::ldexp(random.unit(), static_cast<int>(random.below(24)) - 3));
    for (const float low : {0.25f, 1.25f, 2.0f}) {
      const float y = std::max(0.0f, s - low), z = std::max(0.0f, s - (low + 0.5f));
      ASSERT_LE(2 * y - 2 * z, 1.0f) << s;
    }
  }
}

/// What may be below 0 can depend on the length.
TEST(Clears, AreForeseenAnewForEveryLength) {
  model::Transformer model = reusing_model();
  model.position_encodings[0].formula = {PositionFormula::Kind::table, {}, {1, 1, -9, -9}};
  model.layers[0].heads[0] = head_to(3, kWord, kParity, 1, false);
  EXPECT_EQ(left_out(model, 2), 1);
  EXPECT_EQ(left_out(model, 4), 0);
  const run::StructuredExecutor executor(model, {{NumberFormat::f32, false}, false, false});
  StructuredExecutor::Workspace space;
  for (const std::size_t n : {2, 4, 2, 4}) {
    std::vector<double> outputs;
    test::watched(executor, run::Batch::of(Word(n, 0)), space, outputs);
  }
}

TEST(Clears, ChangeNoOutput) {
  Random random(22);
  StructuredExecutor::Workspace space;
  int lean = 0, whole = 0;
  constexpr double kWeights[] = {2, 2, -2, 3}, kBegins[] = {0.25, 0.25, -0.25, 0.3};
  const auto any = [&] { return static_cast<std::uint32_t>(random.below(kWidth)); };
  const auto scratch = [&] { return kScratch + static_cast<std::uint32_t>(random.below(kWidth - kScratch)); };
  for (int k = 0; k < 1000; ++k) {
    SCOPED_TRACE(k);
    model::Transformer model = empty_model();
    const std::size_t layers = 2 + random.below(4);
    for (std::size_t l = 0; l < layers; ++l) {
      model::Layer layer;
      for (std::size_t h = 0; h < random.below(3); ++h) {
        layer.heads.push_back(head_to(scratch(), any(), any(), random.chance(0.2) ? -1 : 1, random.chance(0.2)));
        layer.heads.back().mask = static_cast<Mask>(random.below(5));
      }
      Rows rows;
      for (std::size_t r = 0; r < random.below(4); ++r)
        random.chance(0.7) ? rows.add_ramp(scratch(), any(), kWeights[random.below(4)], kBegins[random.below(4)])
                           : rows.add(scratch(), random.chance(0.5) ? 1 : -1, {{any(), 1}}, 0.25);
      for (std::size_t r = 0; r < random.below(4); ++r)
        rows.clear(kWord + static_cast<std::uint32_t>(random.below(kWidth - 1)));
      layer.ffn = rows.make();
      model.layers.push_back(layer);
    }
    model.output.coordinate = any();
    const std::size_t n = 1 + random.below(40);
    (left_out(model, n) > 0 ? lean : whole) += 1;
    std::vector<Word> words;
    for (std::size_t w = 0; w < 2 + random.below(20); ++w) words.push_back(test::word_over(random, model, n));
    for (const NumberFormat format : {NumberFormat::f32, NumberFormat::f64}) {
      test::agreement(model, words[0], {{format, false}, false, false}, space);
      test::expect_agreement_at_once(model, words, {{format, false}, false, false}, space);
      if (::testing::Test::HasFailure()) return;
    }
  }
  EXPECT_GT(lean, 100);
  EXPECT_GT(whole, 50);
}

}  // namespace
}  // namespace quench
