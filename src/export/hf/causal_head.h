// A model that puts out symbols, or scores of symbols, as one that generates: the answer at a position is what comes
// next.
#pragma once

#include <cstddef>
#include <optional>

#include "base/number/matrix.h"
#include "export/stock_decoder.h"
#include "model/transformer.h"

namespace quench::exports {

/// vocabulary × width, of a decoder with pins: the logits of all tokens. Tokens that are never put out get one far
/// below the others. Nothing if answers are not single symbols.
std::optional<Matrix> causal_head(const model::Transformer& model, const StockDecoder& decoder, std::size_t vocabulary);

}  // namespace quench::exports
