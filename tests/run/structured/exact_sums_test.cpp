// Sums over positions that are formed in double where an executor is asked for that.
#include <gtest/gtest.h>

#include "base/error.h"
#include "run/executor.h"
#include "support/example_model.h"

namespace quench {
namespace {

/// Scores 0.7·i²·(−1/j) and values (−1)^j, over b's: sharpness grows with the query.
model::Transformer growing_model() {
  model::Transformer model = test::once_model();
  model.position_encodings = {{1, {PositionFormula::Kind::inverse_index, {}}},
                              {3, {PositionFormula::Kind::alternating, {}}}};
  model::Head& head = model.layers[0].heads[0];
  head.temperature = Temperature::inverse_i_sq;
  head.q = head.k = head.v = SparseMatrix(1, 4);
  head.q.add(0, 0, 0.7);
  head.k.add(0, 1, -1);
  head.v.add(0, 3, 1);
  model.layers[0].ffn.w2 = SparseMatrix(4, 2);
  model.output.coordinate = 2;
  return model;
}

std::vector<double> outputs(const model::Transformer& model, bool exact_sums, run::Method& method) {
  const run::Executor executor(model, {NumberFormat::f32, false}, run::Engine::structured, false, exact_sums);
  run::Executor::Workspace workspace;
  std::vector<double> result;
  executor.outputs(Word(300, 1), workspace, result);
  method = workspace.planes.methods[0][0].method;
  return result;
}

TEST(ExactSums, AreAskedOfHeadsOfGrowingSharpness) {
  run::Method fast_method{}, exact_method{};
  EXPECT_NE(outputs(growing_model(), false, fast_method), outputs(growing_model(), true, exact_method));
  EXPECT_EQ(fast_method, run::Method::candidates);
  EXPECT_EQ(exact_method, run::Method::candidates);
}

TEST(ExactSums, ChangeNoOtherHead) {
  run::Method method{};
  for (const model::Transformer& model : {test::once_model(), test::previous_model(16)}) {
    EXPECT_EQ(outputs(model, false, method), outputs(model, true, method));
    EXPECT_NE(method, run::Method::candidates);
  }
}

TEST(ExactSums, AreRefusedWhereTheDefinitionMustRunTheHead) {
  model::Transformer model = growing_model();
  model.layers[0].heads[0].q = SparseMatrix(1, 4);
  model.layers[0].heads[0].q.add(0, 0, 0x1p110);
  run::Method method{};
  EXPECT_NO_THROW(outputs(model, false, method));
  EXPECT_EQ(method, run::Method::dense);
  EXPECT_THROW(outputs(model, true, method), UserError);
}

}  // namespace
}  // namespace quench
