// What a stock checkpoint of Hugging Face consists of, before one architecture's names are given to it.
#pragma once

#include <optional>

#include "export/hf/pins.h"
#include "export/hf/tokenizer.h"
#include "export/stock_decoder.h"

namespace quench::exports {

struct StockFolder {
  StockDecoder decoder;  ///< with pins
  Pins pins;
  SpecialTokens special;
  std::optional<Matrix> causal;  ///< the logits of all tokens, where answers are symbols

  std::size_t vocabulary() const { return special.padding_id + 1; }
};

/// One row more than the decoder has: padding, which no position before it sees, embedded as any other symbol.
Matrix tokens_with_padding(const StockFolder& folder);

}  // namespace quench::exports
