// Long words from short ones of the same kind: repeated, stretched, with one or two of their parts pumped, or padded.
// What is accepted or rejected for a reason that short words have is often found so. Nothing is promised of the result.
#pragma once

#include <cstddef>
#include <vector>

#include "base/number/random.h"
#include "base/word.h"

namespace quench::verify {

/// A word of length n made of `base`, which is not longer, and of symbols of `padding`.
Word pumped(const Word& base, std::size_t n, const std::vector<Symbol>& padding, Random& random);

}  // namespace quench::verify
