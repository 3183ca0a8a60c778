#include "export/hf/stock_folder.h"

#include <algorithm>

namespace quench::exports {

Matrix tokens_with_padding(const StockFolder& folder) {
  const Matrix& tokens = folder.decoder.tokens;
  Matrix result(tokens.rows + 1, tokens.cols);
  std::copy(tokens.data.begin(), tokens.data.end(), result.data.begin());
  for (std::size_t c = 0; c < tokens.cols; ++c) result(tokens.rows, c) = tokens(folder.special.unknown_id, c);
  return result;
}

Matrix joined_outputs(const LayerTensors& layer, const StockShape& shape) {
  Matrix joined(shape.width, shape.width);
  for (std::size_t head = 0; head < shape.heads; ++head)
    for (std::size_t component = 0; component < shape.d_head; ++component)
      for (std::size_t c = 0; c < shape.width; ++c)
        joined(head * shape.d_head + component, c) = layer.heads[head].o(c, component);
  return joined;
}

void add_normalisation(Checkpoint& checkpoint, const StockFolder& folder, const std::string& name) {
  const std::size_t width = folder.decoder.shape.width;
  checkpoint.add_constant(name + ".weight", {width}, folder.pins.gain);
  checkpoint.add_constant(name + ".bias", {width});
}

}  // namespace quench::exports
