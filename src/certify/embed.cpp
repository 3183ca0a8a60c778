// The embedding: constants, tests of the symbol, position encodings (encode.cpp).
#include "certify/proof.h"

namespace quench::certify {

State embed(const Setting& setting) {
  const model::Transformer& model = setting.model();
  for (const SparseMatrix::Row& row : model.embedding.rows)
    for (const auto& [column, value] : row) {
      require_exact_weight(setting, value, "the embedding");
      if (!is_integer(value)) throw NotProved("the embedding holds numbers that are not whole", -1);
    }
  State state(model.width, Value::constant(0));
  for (std::size_t k = 0; k < model.width; ++k) {
    const Interval range = setting.prepared.embedding[k];
    state[k].ideal.fill(Set::integers(range.low, range.high));
    state[k].not_negative = range.low >= 0;
  }
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    if (!state[encoding.coordinate].is_constant(0)) throw NotProved("a position encoding shares its coordinate", -1);
    state[encoding.coordinate] = encode(setting, encoding.formula);
  }
  for (std::size_t k = 0; k < model.width; ++k) state[k].id = static_cast<int>(k);
  return state;
}

}  // namespace quench::certify
