// The facts of one length by running every word of it in exact arithmetic.
#pragma once

#include "soften/facts.h"

namespace quench::soften {

/// Words that an enumeration of one length looks at: symbols with equal embeddings count once.
double words_of_length(const model::Transformer& model, std::size_t n);

LengthFacts enumerate(const Network& network, std::size_t n);

}  // namespace quench::soften
