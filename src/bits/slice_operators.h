// Connectives and temporal operators on slices: one pass over the positions each, forwards for the past and backwards
// for the future.
#pragma once

#include "bits/slice.h"
#include "lang/formula.h"

namespace quench::bits {

/// `out` is neither p nor q.
void apply(lang::Operator op, const Slice* p, const Slice* q, const Extent& extent, Slice* out);
inline void apply(lang::Operator op, const Slice* p, const Extent& extent, Slice* out) { apply(op, p, p, extent, out); }

}  // namespace quench::bits
