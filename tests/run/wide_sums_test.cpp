// Heads that may sum in float lanes are all found.
#include "run/wide_sums.h"

#include <gtest/gtest.h>

#include "run/plane_executor.h"
#include "support/example_model.h"
#include "support/random_model.h"

namespace quench {
namespace {

TEST(WideSums, UnlessSharpnessChanges) {
  EXPECT_TRUE(run::sums_are_wide(test::once_model()));
  EXPECT_TRUE(run::sums_are_wide(test::previous_model(16))) << "parities have two components";
  for (const Temperature temperature : {Temperature::inverse_i, Temperature::inverse_i_sq}) {
    model::Transformer model = test::once_model();
    model.layers[0].heads[0].temperature = temperature;
    EXPECT_FALSE(run::sums_are_wide(model));
  }
  for (const std::uint32_t coordinate : {1, 3}) {  // a symbol's, and one that is written
    model::Transformer model = test::once_model();
    model.layers[0].heads[0].q.add(0, coordinate, 1);
    EXPECT_FALSE(run::sums_are_wide(model)) << coordinate;
  }
  model::Transformer by_position = test::previous_model(16);
  by_position.layers[0].heads[0].q = by_position.layers[0].heads[0].k = SparseMatrix(1, by_position.width);
  by_position.layers[0].heads[0].q.add(0, 1, 1);
  by_position.layers[0].heads[0].k.add(0, 3, 1);
  EXPECT_FALSE(run::sums_are_wide(by_position));
}

/// What is said to be wide is never run by candidates.
TEST(WideSums, NoCandidatesAmongThem) {
  Random random(31);
  run::PlaneExecutor::Workspace space;
  int wide = 0, candidates = 0;
  for (int k = 0; k < 2000; ++k) {
    test::RandomModelOptions options;
    options.layers = 1;
    options.heads = 1;
    options.density = 0.25;
    model::Transformer model = test::random_model(random, options);
    for (model::Layer& layer : model.layers)
      for (model::Head& head : layer.heads) {
        head.weighting = Weighting::soft;
        if (random.chance(0.5)) head.q = head.k = SparseMatrix(1, model.width);
        for (SparseMatrix* rows : {&head.q, &head.k})
          if (rows->is_zero()) rows->add(0, static_cast<std::uint32_t>(random.below(model.width)), 3);
      }
    const bool is_wide = run::sums_are_wide(model);
    wide += is_wide;
    const run::PlaneExecutor executor(model, {{NumberFormat::f32, false}, false, false});
    std::vector<double> outputs;
    executor.outputs(run::Batch::of(test::word_over(random, model, 40)), space, outputs);
    for (const auto& layer : space.methods)
      for (const run::HeadMethod& head : layer) {
        candidates += head.method == "candidates";
        EXPECT_FALSE(is_wide && head.method == "candidates") << k;
      }
  }
  EXPECT_GT(wide, 50);
  EXPECT_GT(candidates, 100);
}

}  // namespace
}  // namespace quench
