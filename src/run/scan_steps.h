// Scans of many words at once whose scores depend on positions alone: everything but the values is the same in all
// words, and is worked out once.
//
// Where one key outweighs all others a query sees, so that these together weigh less than an eighth of the format's
// rounding unit (as in negligible()), the mean is that key's value. Heads that look to the position before are like
// that, at every query: they copy.
//
// Measured (batches of a formula of eleven temporal operators): 1.35× faster, of which 1.12× by copying.
#pragma once

#include <cstddef>
#include <vector>

#include "base/attention_kind.h"
#include "run/scan_kernel.h"

namespace quench::run {

/// What a scan is made of, by row of one lane: κ (none: 0), the class of each key, D_c by class after the first.
struct StepScores {
  std::vector<double> kappa;
  std::vector<std::size_t> class_of;
  std::vector<std::vector<double>> offset;
};

template <class T>
class ScanSteps {
 public:
  ScanSteps() = default;
  ScanSteps(const StepScores& scores, Mask mask);

  bool known() const { return !steps_.empty(); }
  void run(const ScanRows<T>& rows) const;

 private:
  std::size_t classes_ = 0;
  std::vector<ScanStep> steps_;
  struct Copy {
    std::size_t from, to, rows;
  };
  std::vector<Copy> copies_;  ///< if at every row one key outweighs all others
};

extern template class ScanSteps<float>;
extern template class ScanSteps<double>;

}  // namespace quench::run
