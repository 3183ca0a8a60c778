// The ways of computing a head's attention that the structured engine chooses from. The names are those of
// `quench run --explain`.
#pragma once

#include "base/named_enum.h"

namespace quench::run {

#define QUENCH_METHODS(X)                                                    \
  X(copy, "copy")             /* the position before outweighs all others */ \
  X(scan, "scan")             /* prefix sums by class of keys */             \
  X(lookup, "lookup")         /* a window around the looked-up position */   \
  X(series, "series")         /* geometric series by parity */               \
  X(candidates, "candidates") /* a list of keys that still compete */        \
  X(address, "address")       /* keys by the values that are asked for */    \
  X(dense, "dense")           /* every pair of positions */
QUENCH_NAMED_ENUM(Method, QUENCH_METHODS)

}  // namespace quench::run
