// Sums over positions that are formed in double where an executor is asked for that.
#include <gtest/gtest.h>

#include "run/plane_executor.h"
#include "support/random_model.h"

namespace quench {
namespace {

/// Only heads that compete may be run in float lanes: only their results change.
TEST(ExactSums, ChangeHeadsOfGrowingSharpnessAlone) {
  Random random(31);
  run::PlaneExecutor::Workspace space;
  int changed = 0, others = 0;
  for (int k = 0; k < 2000; ++k) {
    test::RandomModelOptions options;
    options.layers = 1;
    options.heads = 1;
    options.density = 0.25;
    model::Transformer model = test::random_model(random, options);
    for (model::Head& head : model.layers[0].heads) {
      head.weighting = Weighting::soft;
      if (random.chance(0.5)) head.q = head.k = SparseMatrix(1, model.width);
      for (SparseMatrix* rows : {&head.q, &head.k})
        if (rows->is_zero()) rows->add(0, static_cast<std::uint32_t>(random.below(model.width)), 3);
    }
    const run::Batch batch = run::Batch::of(test::word_over(random, model, 40));
    std::vector<double> fast, exact;
    run::PlaneExecutor(model, {{NumberFormat::f32, false}, false, false}).outputs(batch, space, fast);
    run::PlaneExecutor(model, {{NumberFormat::f32, false}, false, false, true}).outputs(batch, space, exact);
    bool competes = false;
    for (const run::HeadMethod& head : space.methods[0]) competes = competes || head.method == "candidates";
    bool same = true;
    for (std::size_t i = 0; i < fast.size(); ++i)
      same = same && (fast[i] == exact[i] || (fast[i] != fast[i] && exact[i] != exact[i]));
    EXPECT_TRUE(same || competes) << k;
    changed += !same;
    others += !competes;
  }
  EXPECT_GT(changed, 5);
  EXPECT_GT(others, 50);
}

}  // namespace
}  // namespace quench
