#include "export/tensors.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"
#include "base/text/utf8.h"
#include "model/position.h"

namespace quench::exports {

Matrix dense(const SparseMatrix& sparse) {
  Matrix matrix(sparse.rows.size(), sparse.cols);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (const auto& [column, value] : sparse.rows[row]) matrix(row, column) = value;
  return matrix;
}

Matrix transposed(const Matrix& matrix) {
  Matrix result(matrix.cols, matrix.rows);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::size_t column = 0; column < matrix.cols; ++column) result(column, row) = matrix(row, column);
  return result;
}

Matrix padded(const Matrix& matrix, std::size_t rows, std::size_t cols) {
  QUENCH_ASSERT(matrix.rows <= rows && matrix.cols <= cols);
  Matrix result(rows, cols);
  for (std::size_t row = 0; row < matrix.rows; ++row)
    for (std::size_t column = 0; column < matrix.cols; ++column) result(row, column) = matrix(row, column);
  return result;
}

Tensors tensors_of(const model::Transformer& model) {
  Tensors tensors;
  tensors.embedding = dense(model.embedding);
  for (const model::Layer& layer : model.layers) {
    LayerTensors& made = tensors.layers.emplace_back();
    for (const model::Head& head : layer.heads)
      made.heads.push_back({dense(head.q), dense(head.k), dense(head.v), dense(head.o),
                            1 / std::sqrt(static_cast<double>(head.q.rows.size()))});
    made.w1 = dense(layer.ffn.w1);
    made.w2 = dense(layer.ffn.w2);
    made.b1 = layer.ffn.b1;
    made.b2 = layer.ffn.b2;
  }
  return tensors;
}

bool depends_on_length(const PositionFormula& formula) {
  switch (formula.kind) {
    case PositionKind::index:
    case PositionKind::index_sq:
    case PositionKind::inverse_index:
    case PositionKind::alternating:
    case PositionKind::log_index:
    case PositionKind::index_alternating:
    case PositionKind::digit_0:
    case PositionKind::digit_1:
    case PositionKind::digit_2:
    case PositionKind::table:
      return false;
    case PositionKind::length:
    case PositionKind::index_length:
    case PositionKind::index_sq_length:
    case PositionKind::index_over_length:
    case PositionKind::index_over_length_sq:
    case PositionKind::inverse_remaining:
    case PositionKind::index_over_power:
    case PositionKind::inverse_length:
    case PositionKind::log_remaining:
    case PositionKind::digit_0_over_power:
    case PositionKind::digit_1_over_power:
    case PositionKind::digit_2_over_power:
      return true;
    case PositionKind::predicate:
    case PositionKind::predicate_at_zero:
      return !formula.predicate || formula.predicate->depends_on_length();
  }
  return true;
}

Matrix position_table(const model::Transformer& model, std::size_t context) {
  Matrix table(context, model.width);
  for (const model::PositionEncoding& encoding : model.position_encodings) {
    const PositionFormula& formula = encoding.formula;
    if (depends_on_length(formula))
      throw UserError(fmt::format(
          "the position encoding {} depends on the length of the word, and a table of positions does not; compile with "
          "--decoder, or export to onnx",
          printable(to_string(formula), kShownName)));
    if (formula.kind == PositionKind::table && formula.table.size() < context)
      throw UserError(fmt::format("a position encoding of this model is a table of {} positions; ask for --context {}",
                                  formula.table.size(), formula.table.size()));
    for (std::size_t i = 1; i <= context; ++i)
      table(i - 1, encoding.coordinate) += model::position_value(formula, i, context);
  }
  return table;
}

}  // namespace quench::exports
