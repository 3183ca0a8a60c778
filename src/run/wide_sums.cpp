#include "run/wide_sums.h"

#include <algorithm>

namespace quench::run {

namespace {

/// By coordinate: it is the same number at every position of every word, through all layers.
std::vector<bool> constants(const model::Transformer& transformer) {
  std::vector<bool> constant(transformer.width, true);
  for (std::size_t row = 1; row < transformer.embedding.rows.size(); ++row)
    for (std::size_t c = 0; c < transformer.width; ++c)
      if (transformer.embedding.at(row, c) != transformer.embedding.at(0, c)) constant[c] = false;
  for (const model::PositionEncoding& encoding : transformer.position_encodings) constant[encoding.coordinate] = false;
  for (const model::Layer& layer : transformer.layers)
    for (std::size_t c = 0; c < transformer.width; ++c) {
      if (!layer.ffn.w2.rows[c].empty() || layer.ffn.b2[c] != 0) constant[c] = false;
      for (const model::Head& head : layer.heads)
        if (!head.o.rows[c].empty()) constant[c] = false;
    }
  return constant;
}

}  // namespace

bool sums_are_wide(const model::Transformer& transformer) {
  const std::vector<bool> constant = constants(transformer);
  const auto steady = [&](const model::Head& head) {
    std::size_t components = 0;
    bool same = head.temperature != Temperature::inverse_i && head.temperature != Temperature::inverse_i_sq;
    for (std::size_t l = 0; l < head.q.rows.size(); ++l) {
      if (head.q.rows[l].empty() || head.k.rows[l].empty()) continue;
      ++components;
      for (const auto& [column, value] : head.q.rows[l]) same = same && constant[column];
    }
    return same || components != 1;
  };
  return std::ranges::all_of(transformer.layers,
                             [&](const model::Layer& layer) { return std::ranges::all_of(layer.heads, steady); });
}

}  // namespace quench::run
