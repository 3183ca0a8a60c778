// A whole network, window by window, where every head looks to the same side and is a scan (run/lane_scan.h): the
// residual stream of a window stays in the cache through all layers, and only the answers are kept.
#pragma once

#include <vector>

#include "run/plane_executor.h"
#include "run/reference_plan.h"

namespace quench::run {

/// False: not such a network, or not on this word; then nothing was written. `positions` by encoding and position.
template <class T>
bool run_causally(const ReferencePlan& plan, const Batch& batch, const std::vector<std::vector<T>>& positions,
                  std::vector<double>& result, const PlaneExecutor::Observer& observer);

extern template bool run_causally<float>(const ReferencePlan&, const Batch&, const std::vector<std::vector<float>>&,
                                         std::vector<double>&, const PlaneExecutor::Observer&);
extern template bool run_causally<double>(const ReferencePlan&, const Batch&, const std::vector<std::vector<double>>&,
                                          std::vector<double>&, const PlaneExecutor::Observer&);

}  // namespace quench::run
