// A model's weights as the exporters want them: dense, with the position encodings as a table where a format knows no
// formulas. One view for all targets; which names and which orientation a tool wants is said by the file of that
// target.
#pragma once

#include <cstddef>
#include <vector>

#include "base/number/matrix.h"
#include "model/transformer.h"

namespace quench::exports {

struct HeadTensors {
  Matrix q, k;       ///< d_k × d
  Matrix v;          ///< d_v × d
  Matrix o;          ///< d × d_v
  double scale = 1;  ///< 1/√d_k, what scores are multiplied by
};

struct LayerTensors {
  std::vector<HeadTensors> heads;
  Matrix w1, w2;  ///< m × d and d × m
  std::vector<double> b1, b2;
};

struct Tensors {
  Matrix embedding;  ///< (symbols + 1) × d, the last row for every other symbol
  std::vector<LayerTensors> layers;
};

Tensors tensors_of(const model::Transformer& model);

Matrix dense(const SparseMatrix& sparse);
Matrix transposed(const Matrix& matrix);
/// With zeros to the right and below.
Matrix padded(const Matrix& matrix, std::size_t rows, std::size_t cols);

/// Whether the encoding's value at a position differs between words of different lengths.
bool depends_on_length(const PositionFormula& formula);

/// context × d: the sum of the position encodings at the positions 1 … context. Throws UserError, naming the encoding,
/// if one depends on the length of the word or is a table that ends earlier.
Matrix position_table(const model::Transformer& model, std::size_t context);

}  // namespace quench::exports
