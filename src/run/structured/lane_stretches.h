// From rows of kLanes positions (methods/scan.h) to the lanes' positions one after the other, and back: a word in
// segments comes out in its natural order, words side by side come out word after word.
#pragma once

#include <cstddef>

#include "run/structured/kernels/scan_kernel.h"

namespace quench::run {

/// runs[s·steps + t] = rows[t·kLanes + s], for the lanes s below `lanes`, a multiple of four
template <class T>
void rows_to_stretches(const T* rows, std::size_t steps, std::size_t lanes, T* runs);

/// rows[t·kLanes + s] = runs[s·steps + t]
template <class T>
void stretches_to_rows(const T* runs, std::size_t steps, std::size_t lanes, T* rows);

}  // namespace quench::run
