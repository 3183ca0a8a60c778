#include "lab/models.h"

#include "driver/compile.h"
#include "model/position.h"

namespace quench::lab {
namespace {

SparseMatrix scaled(const SparseMatrix& matrix, double factor) {
  SparseMatrix result(matrix.rows.size(), matrix.cols);
  for (std::size_t r = 0; r < matrix.rows.size(); ++r)
    for (const SparseMatrix::Entry& entry : matrix.rows[r]) result.add(r, entry.column, factor * entry.value);
  return result;
}

template <class Change>
void for_each_head(model::Transformer& model, Change change) {
  for (model::Layer& layer : model.layers)
    for (model::Head& head : layer.heads) change(head);
}

}  // namespace

lang::Rule rule_of(std::string_view text) { return driver::parse_rule(text); }

model::Transformer compiled(std::string_view text, const std::string& recipe) {
  lower::RecipeOptions options;
  options.recipe = recipe;
  return driver::compile(rule_of(text), options).model;
}

model::Transformer at_temperature(model::Transformer model, double tau,
                                  const std::function<bool(const model::Head&)>& chosen) {
  for_each_head(model, [&](model::Head& head) {
    if (!chosen(head)) return;
    head.q = scaled(head.q, 1 / tau);
    head.temperature = Temperature::one;
  });
  return model;
}

model::Transformer frozen_at(model::Transformer model, std::size_t n) {
  for_each_head(model, [&](model::Head& head) {
    head.q = scaled(head.q, model::inverse_temperature(head.temperature, n, n));
    head.temperature = Temperature::one;
  });
  return model;
}

bool selects(const model::Head& head) { return head.intended != Weighting::soft && !head.q.is_zero(); }

model::Transformer without_position(model::Transformer model, std::size_t encoding) {
  model.position_encodings.erase(model.position_encodings.begin() + static_cast<std::ptrdiff_t>(encoding));
  return model;
}

}  // namespace quench::lab
