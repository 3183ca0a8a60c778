// Sums of many affine forms. Adding them one by one to an Affine copies the sum every time; here they are gathered and
// merged once.
#pragma once

#include "ir/graph.h"

namespace quench::ir {

class AffineSum {
 public:
  /// += factor·x
  void add(const Affine& x, double factor = 1);
  /// The sum: to the bit what `+=` in the same order gives.
  Affine take();

 private:
  Affine sum_;  // terms in the order in which they came
};

}  // namespace quench::ir
