// The embedding: constants, tests of the symbol, position encodings (encode.cpp).
#include "certify/proof.h"

namespace quench::certify {

State embed(const Setting& setting) {
  const model::Transformer& model = setting.model;
  State state(model.width, Value::constant(0));
  std::vector<Interval> range(model.width);
  bool first = true;
  for (const SparseMatrix::Row& row : model.embedding.rows) {
    std::vector<double> dense(model.width);
    for (const auto& [column, value] : row) {
      require_exact_weight(setting, value, "the embedding");
      if (!is_integer(value)) throw NotProved("the embedding holds numbers that are not whole", -1);
      dense[column] = value;
    }
    for (std::size_t k = 0; k < model.width; ++k)
      range[k] = first ? Interval{dense[k], dense[k]} : hull(range[k], {dense[k], dense[k]});
    first = false;
  }
  for (std::size_t k = 0; k < model.width; ++k) {
    state[k].ideal.fill(Set::integers(range[k].low, range[k].high));
    state[k].not_negative = range[k].low >= 0;
  }
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    if (!state[encoding.coordinate].is_constant(0)) throw NotProved("a position encoding shares its coordinate", -1);
    state[encoding.coordinate] = encode(setting, encoding.formula);
  }
  for (std::size_t k = 0; k < model.width; ++k) state[k].id = static_cast<int>(k);
  return state;
}

}  // namespace quench::certify
