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

}  // namespace quench::exports
