// What a stock checkpoint of Hugging Face consists of, before one architecture's names are given to it.
#pragma once

#include <optional>

#include "export/checkpoint.h"
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

/// W_O of all heads: (head after head) × output.
Matrix joined_outputs(const LayerTensors& layer, const StockShape& shape);

/// The gain that undoes the pins, and no bias.
void add_normalisation(Checkpoint& checkpoint, const StockFolder& folder, const std::string& name);

}  // namespace quench::exports
