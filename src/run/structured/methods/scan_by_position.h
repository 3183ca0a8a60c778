// Scans of many words at once whose scores depend on positions alone: everything but the values is the same in all
// words, and is worked out once.
#pragma once

#include <cstddef>
#include <vector>

#include "base/attention_kind.h"
#include "run/structured/kernels/scan_kernel.h"

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
};

extern template class ScanSteps<float>;
extern template class ScanSteps<double>;

}  // namespace quench::run
