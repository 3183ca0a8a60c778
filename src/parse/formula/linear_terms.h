// Linear terms while they are being read: sums of counts in any order, made cheap to add and to negate, so that long
// sums and deep nestings cost no more than their length.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "base/number/int128.h"
#include "lang/formula.h"

namespace quench::parse {

struct LinearTerm {
  struct Part {
    lang::Count count;
    Int128 coefficient;
    std::size_t place;  ///< of the count in the text
  };
  std::vector<Part> parts;  ///< a count may occur several times
  Int128 constant = 0;
  bool negative = false;  ///< the term is minus what is above
  lang::TermId interned;  ///< valid once it has been added to the formula
};

/// Magnitudes above 2^63 are refused while reading (−2^63 is written as minus 2^63); below, everything is exact.
[[nodiscard]] bool add(LinearTerm& to, const LinearTerm& term, bool subtract);
[[nodiscard]] bool scale(LinearTerm& term, Int128 factor);

/// Each count once, in the order of the text, no coefficient 0; nothing if a coefficient does not fit 64 bits.
std::optional<lang::Term> normalise(const LinearTerm& term);

}  // namespace quench::parse
