// The facts of one length by running every word of it in exact arithmetic.
#pragma once

#include <functional>

#include "soften/facts.h"

namespace quench::soften {

/// Words that an enumeration of one length looks at: symbols with equal embeddings count once.
double words_of_length(const model::Transformer& model, std::size_t n);

/// `before_word` is called before every word; what it throws ends the enumeration.
LengthFacts enumerate(
    const Network& network, std::size_t n, const std::function<void()>& before_word = [] {});

}  // namespace quench::soften
