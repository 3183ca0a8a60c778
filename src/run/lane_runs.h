// From rows of kLanes positions (run/lane_scan.h) to the lanes' positions one after the other, and back: a word in
// segments comes out in its natural order, words side by side come out word after word.
#pragma once

#include <cstddef>

#include "run/scan_kernel.h"

namespace quench::run {

/// runs[s·steps + t] = rows[t·kLanes + s]
template <class T>
void rows_to_runs(const T* rows, std::size_t steps, T* runs);

/// rows[t·kLanes + s] = runs[s·steps + t]
template <class T>
void runs_to_rows(const T* runs, std::size_t steps, T* rows);

}  // namespace quench::run
