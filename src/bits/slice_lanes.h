// A slice as one vector, for the code that computes with slices. Vectors go by reference: passing or returning one
// would depend on the instruction set of the caller.
#pragma once

#include "base/number/multiversion.h"
#include "bits/slice.h"

#define QUENCH_INLINE __attribute__((always_inline)) inline

namespace quench::bits {

using Vector = Bits __attribute__((vector_size(sizeof(Slice)), may_alias));

QUENCH_INLINE const Vector* vectors(const Slice* slices) { return reinterpret_cast<const Vector*>(slices); }
QUENCH_INLINE Vector* vectors(Slice* slices) { return reinterpret_cast<Vector*>(slices); }

}  // namespace quench::bits
