// The fast executor on models nobody compiled: every mask, weighting and temperature, mostly without structure.
#include "run/structured/structured_executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "support/agreement.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench {
namespace {

/// Hard attention is discontinuous, so only exact arithmetic can be compared: multiples of 1/4 and no irrational PEs.
model::Transformer softened(model::Transformer model) {
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads) head.weighting = Weighting::soft;
  return model;
}

TEST(StructuredExecutor, AgreesOnRandomModels) {
  Random random(21);
  run::StructuredExecutor::Workspace space;
  for (int k = 0; k < 300; ++k) {
    test::RandomModelOptions options;
    options.small_weights = k % 3 == 0;
    options.density = k % 2 ? 0.3 : 0.1;
    const model::Transformer model = softened(test::random_model(random, options));
    const Word word = test::word_over(random, model, 1 + random.below(40));
    const NumberFormat format = k % 4 ? NumberFormat::f64 : NumberFormat::f32;
    SCOPED_TRACE(k);
    test::agreement(model, word, {{format, false}, k % 5 == 0, false}, space);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuredExecutor, HardAttentionTakesTheDefinition) {
  const model::Transformer model = test::previous_model(3);
  const Word word = {0, 1, 1, 0, -1, 0};
  run::StructuredExecutor::Workspace space;
  std::vector<double> outputs;
  run::StructuredExecutor(model, {{NumberFormat::f64, true}, false, false}).outputs(run::Batch::of(word), space, outputs);
  EXPECT_EQ(outputs, run::outputs(model, word, {NumberFormat::f64, true}));
  EXPECT_EQ(space.methods[0][0].method, run::Method::dense);
  EXPECT_NE(space.methods[0][0].reason.find("hard"), std::string::npos);
}

TEST(StructuredExecutor, ParityTimesParityIsTwoClasses) {
  const model::Transformer model = test::previous_model(3);
  Random random(2);
  run::StructuredExecutor::Workspace space;
  for (const std::size_t length : {1, 2, 3, 15, 16, 17, 30, 500, 2047, 2048, 2049, 4100}) {
    const Word word = test::word_over(random, test::once_model(), length);
    test::agreement(model, word, {}, space);
    EXPECT_EQ(space.methods[0][0].method, run::Method::scan);
  }
}

/// Scores t_i·j without a mask, t of either sign or 0: the first or the last keys decide, or all alike.
TEST(StructuredExecutor, UnmaskedComparisonsLookAtBothEnds) {
  model::Transformer model = test::previous_model(3);
  model::Head& head = model.layers[0].heads[0];
  head.mask = Mask::none;
  head.q = head.k = SparseMatrix(1, model.width);
  head.q.add(0, 2, 3);  // −3, 0, 3 or 6, by parity and symbol
  head.q.add(0, 3, 3);
  head.k.add(0, 1, 1);  // j/n, and τ = 1/n
  head.v.add(0, 1, 0.5);
  Random random(4);
  run::StructuredExecutor::Workspace space;
  for (const std::size_t length : {1, 2, 9, 17, 40, 130, 500, 2049, 4100})
    for (const NumberFormat format : {NumberFormat::f64, NumberFormat::f32}) {
      SCOPED_TRACE(length);
      const Word word = test::word_over(random, test::once_model(), length);
      test::agreement(model, word, {{format, false}, false, false}, space);
      EXPECT_EQ(space.methods[0][0].method, length > 8 ? run::Method::candidates : run::Method::scan);
    }
  model::Transformer ties = model;  // keys in threes
  ties.position_encodings[0].formula = {PositionFormula::Kind::table, {}, {}};
  for (int i = 0; i < 100; ++i) ties.position_encodings[0].formula.table.push_back((i / 3 + 1) / 33.0);
  test::agreement(ties, test::word_over(random, test::once_model(), 100), {}, space);
  EXPECT_EQ(space.methods[0][0].method, run::Method::candidates);
  std::vector<Word> words;
  for (int w = 0; w < 5; ++w) words.push_back(test::word_over(random, test::once_model(), 100));
  test::expect_agreement_at_once(model, words, {}, space);
  head.q = SparseMatrix(1, model.width);
  head.q.add(0, 2, 0.01);  // far from sharp
  test::agreement(model, words[0], {}, space);
  EXPECT_EQ(space.methods[0][0].method, run::Method::dense);
  EXPECT_NE(space.methods[0][0].reason.find("64 kinds of keys"), std::string::npos);
}

/// What the first window of a word looks like says nothing about the next: a query that was the same everywhere
/// changes.
TEST(StructuredExecutor, WindowsThatDifferFromTheFirst) {
  Random random(3);
  run::StructuredExecutor::Workspace space;
  for (int k = 0; k < 12; ++k) {
    test::RandomModelOptions options;
    options.density = 0.3;
    options.longest = 2100;
    model::Transformer model = softened(test::random_model(random, options));
    for (model::Layer& layer : model.layers)
      for (model::Head& head : layer.heads) head.mask = k % 2 ? Mask::past : Mask::future;
    Word word(2048, 0);
    for (int i = 0; i < 40; ++i) word.push_back(test::word_over(random, model, 1)[0]);
    if (k % 2) std::reverse(word.begin(), word.end());
    SCOPED_TRACE(k);
    test::agreement(model, word, {}, space);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(StructuredExecutor, RefusesWhatTheReferenceRefuses) {
  const run::StructuredExecutor fast(test::once_model(), {});
  run::StructuredExecutor::Workspace space;
  std::vector<double> outputs;
  EXPECT_ANY_THROW(fast.outputs(run::Batch::of({}), space, outputs));
  EXPECT_ANY_THROW(fast.outputs(run::Batch::of({0, 7}), space, outputs));
  EXPECT_ANY_THROW(run::StructuredExecutor(test::once_model(), {{NumberFormat::bf16, false}, false, false}));
}

/// Anywhere in a word, in windows and in batches, with threads and without.
TEST(StructuredExecutor, SymbolsOutsideTheAlphabetAreRefused) {
  const model::Transformer model = test::once_model();
  Random random(8);
  for (const bool parallel : {false, true})
    for (const std::size_t lanes : {1, 3, 40}) {
      const run::StructuredExecutor executor(model, {{NumberFormat::f32, false}, false, parallel});
      run::StructuredExecutor::Workspace space;
      std::vector<double> outputs;
      for (const Symbol symbol :
           {2, 1000, -2, std::numeric_limits<Symbol>::min(), std::numeric_limits<Symbol>::max()}) {
        const std::size_t n = lanes == 1 ? 20'000 : 500;
        run::Batch batch{n, lanes, std::vector<Symbol>(n * lanes, kUnmentioned)};
        EXPECT_NO_THROW(executor.outputs(batch, space, outputs));
        batch.symbols[random.below(batch.symbols.size())] = symbol;
        EXPECT_THROW(executor.outputs(batch, space, outputs), UserError) << symbol;
      }
    }
}

}  // namespace
}  // namespace quench
