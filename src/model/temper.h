// The same network at other temperatures: warmer or colder, or at one that no longer knows how long the word is, as in
// an ordinary transformer. For looking at what temperature does; nothing is certified of the result, so it has no
// certificate.
#pragma once

#include <cstdint>

#include "model/transformer.h"

namespace quench::model {

/// Every head's temperature times `factor` > 0. Queries are divided by it, which does the same to the scores; infinity
/// leaves none, and every head looks at all that its mask shows alike.
Transformer warmed(Transformer model, double factor);

/// Every head keeps at every position of every word the temperature that it has at the last position of a word of
/// `length` ≥ 1.
Transformer with_fixed_temperature(Transformer model, std::uint64_t length);

}  // namespace quench::model
