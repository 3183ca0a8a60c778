#include "train/harden.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "driver/compile.h"
#include "train/accuracy.h"

namespace quench::train {
namespace {

std::vector<Word> some_words(const lang::Formula& rule) {
  std::vector<Word> words;
  for (Lesson& lesson : WordSource(rule, false).draw_many(1, 40, 20)) words.push_back(std::move(lesson.word));
  return words;
}

// The last rule's recipe has heads that are made to stay soft.
TEST(Harden, CompiledModelsLoseNothing) {
  for (const char* text : {"Q_a since Q_b", "#<[Q_1] > #<[Q_0]", "1 <= #<[Q_1 & #<[Q_1] = #>[Q_1]]"}) {
    const lang::Formula rule = driver::parse(text);
    const model::Transformer soft = driver::compile(rule).model;
    const std::vector<Word> words = some_words(rule);
    const Hardening hardening = harden(soft, words);
    EXPECT_EQ(hardening.heads.size(), soft.head_count());
    const Accuracy agreement = measure_accuracy(hardening.model, label_by(soft, words));
    EXPECT_EQ(agreement.positions_right, agreement.positions) << text;
  }
}

/// One head that looks at the symbol only, with weight `sharpness` on a: ties among equal symbols.
model::Transformer one_head(double sharpness) {
  model::Transformer model;
  model.alphabet = Alphabet({"a", "b"});
  model.width = 3;
  model.embedding = SparseMatrix(3, 3);
  model.embedding.add(0, 0, 1);
  for (const std::size_t symbol : {0, 1, 2}) model.embedding.add(symbol, 1, 1);
  model::Head head;
  head.q = head.k = head.v = SparseMatrix(1, 3);
  head.q.add(0, 1, sharpness);
  head.k.add(0, 0, 1);
  head.v.add(0, 0, 1);
  head.o = SparseMatrix(3, 1);
  head.o.add(2, 0, 1);
  model.layers.push_back({{head}, {SparseMatrix(0, 3), {}, SparseMatrix(3, 0), {0, 0, 0}}});
  model.output.coordinate = 2;
  return model;
}

TEST(Harden, TiesAreSharedAndTheDistanceIsThatOfTheRows) {
  const std::vector<Word> words = {{0, 1, 0}};  // softmax over (s, 0, s): each a gets e^s/(2e^s + 1)
  const Hardening hardening = harden(one_head(1), words);
  EXPECT_EQ(hardening.heads[0].weighting, Weighting::ahardmax);
  EXPECT_EQ(hardening.heads[0].tied, 1);
  EXPECT_NEAR(hardening.heads[0].distance, 2 / (2 * std::exp(1.0) + 1), 1e-12);
  const Hardening forced = harden(one_head(1), words, Weighting::lhardmax);
  EXPECT_EQ(forced.model.layers[0].heads[0].weighting, Weighting::lhardmax);
  EXPECT_NEAR(forced.heads[0].distance, 2 * (1 - std::exp(1.0) / (2 * std::exp(1.0) + 1)), 1e-12);
}

TEST(Harden, UniqueMaximaAreTakenAlone) {
  const Hardening hardening = harden(one_head(2), {{1, 0, 1}});
  EXPECT_EQ(hardening.heads[0].weighting, Weighting::rhardmax);
  EXPECT_EQ(hardening.heads[0].tied, 0);
}

TEST(Harden, NeedsWords) { EXPECT_THROW(harden(one_head(1), {}), UserError); }

}  // namespace
}  // namespace quench::train
