// How great the coordinates of a model can become, on words up to a given length: what the constants of an export that
// has to add numbers of its own to the residual stream rest on (hf/pins.h).
//
// Intervals go through the network, sublayer by sublayer: the embedding is a table, a softmax is a convex combination
// of the values, or 0 where a mask hides all keys, and ReLU is monotone. What interval arithmetic forgets, such as that
// a coordinate cancels when it is cleared, the ranges of the tenants know, which the compiler has proved; both hold, so
// the narrower one counts.
#pragma once

#include <cstddef>
#include <vector>

#include "model/transformer.h"

namespace quench::exports {

/// Per coordinate a bound of its magnitude after every sublayer. Throws UserError if a position encoding is no table.
std::vector<double> magnitudes(const model::Transformer& model, std::size_t context);

}  // namespace quench::exports
