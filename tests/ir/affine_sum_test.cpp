// Sums that are put together part by part, against the plain definition.
#include "ir/affine_sum.h"

#include <gtest/gtest.h>

#include "base/number/random.h"

namespace quench::ir {
namespace {

TEST(AffineSum, IsWhatAddingOneByOneGives) {
  Random random(2);
  for (int round = 0; round < 3000; ++round) {
    const auto number = [&] { return static_cast<double>(random.between(-4, 4)) * (random.chance(0.5) ? 1 : 0.1); };
    Affine expected;
    AffineSum sum;
    for (std::size_t k = random.below(8); k > 0; --k) {
      Affine x = number();
      for (std::size_t node = 0; node < 5; ++node)
        if (const double c = number(); random.chance(0.5) && c != 0) x.terms.push_back({NodeId(node), c});
      const double factor = number();
      expected += factor * x;
      sum.add(x, factor);
    }
    ASSERT_EQ(sum.take(), expected) << "round " << round;
    ASSERT_EQ(sum.take(), Affine());
  }
}

}  // namespace
}  // namespace quench::ir
