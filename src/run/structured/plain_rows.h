// One row of weights at all positions of a batch's words, in plain order: as a plane, or as a column
// (methods/column.h).
#pragma once

#include <cstddef>

#include "run/structured/embedding.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

/// The row for a component, or zeros if there is none. All windows of the words must be in `part`.
template <class T>
void plain_row(const LanePart<T>& part, const SumRows<T>& rows, std::size_t component, std::size_t words, Plane& to);

/// The same as a column; words have `n` positions.
template <class T>
Column column_of_row(const LanePart<T>& part, const SumRows<T>& rows, std::size_t component, std::size_t n,
                     std::size_t words);

}  // namespace quench::run
