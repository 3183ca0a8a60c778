// README.md of an exported folder: the rule, where the weights come from, what is promised of them, how they are
// loaded.
#pragma once

#include <cstddef>
#include <string>

#include "export/hf/pins.h"
#include "export/stock_decoder.h"
#include "model/transformer.h"

namespace quench::exports {

std::string model_card(const model::Transformer& model, const StockDecoder& decoder, const Pins& pins,
                       std::size_t context);

}  // namespace quench::exports
