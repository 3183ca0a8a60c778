// From a model file to the average-hard network that is softened, and from there to the soft one.
#pragma once

#include <stdexcept>
#include <vector>

#include "soften/errors.h"

namespace quench::soften {

/// The gap cannot be established, or is too small: said with the head and the reason.
struct Refusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Every head as `--weighting hard` runs it, at temperature 1. Refuses heads that are soft and not uniform.
model::Transformer hard_model(const model::Transformer& model);

/// Leftmost and rightmost hardmax as average-hardmax. Heads that tie (by the facts of all lengths) get the tie-break
/// ±t·j/n, t ≤ γ/2 with γ the least gap: maxima then differ by t/n, and others stay at least γ − t behind.
/// It stands in a row of W_Q and W_K of its own, between a coordinate that is 1 and one that is i/n, both new.
model::Transformer break_ties(const model::Transformer& hard, const std::vector<LengthFacts>& facts);

/// The same parameters with softmax_τ; the power of two in 1/τ multiplies W_Q, which is exact. With `round`, a
/// further sublayer rounds the outputs [P-L9] into coordinates of their own.
model::Transformer soft_model(const model::Transformer& average_hard, const Sharpening& sharpening, bool round);

}  // namespace quench::soften
