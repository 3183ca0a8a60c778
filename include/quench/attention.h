// Attention by itself, on matrices of anyone's; and the attention of a compiled model's heads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include <quench/format.h>
#include <quench/model.h>

namespace quench::api {

/// By rows.
template <class T>
struct Matrix {
  std::size_t rows = 0, cols = 0;
  std::vector<T> data;

  Matrix() = default;
  Matrix(std::size_t r, std::size_t c) : rows(r), cols(c), data(r * c) {}
  Matrix(std::size_t r, std::size_t c, std::vector<T> entries) : rows(r), cols(c), data(std::move(entries)) {}
  T& operator()(std::size_t r, std::size_t c) { return data[r * cols + c]; }
  T operator()(std::size_t r, std::size_t c) const { return data[r * cols + c]; }
  friend bool operator==(const Matrix&, const Matrix&) = default;
};

/// Somebody else's matrix, by rows without gaps; nothing is copied.
template <class T>
struct MatrixView {
  const T* data = nullptr;
  std::size_t rows = 0, cols = 0;

  MatrixView(const T* entries, std::size_t r, std::size_t c) : data(entries), rows(r), cols(c) {}
  /// Throws UserError unless it has rows times columns entries.
  MatrixView(const Matrix<T>& matrix);  // NOLINT: a matrix is a view of itself
};

/// Which keys j a query i sees. Strict masks can leave a row empty; its result is then zero.
enum class Mask : std::uint8_t {
  none,           ///< all j
  future,         ///< j ≤ i
  past,           ///< j ≥ i
  strict_future,  ///< j < i
  strict_past,    ///< j > i
};

/// What becomes of a row of scores. Of the keys that tie at the top, `leftmost` takes the first, `rightmost` the last,
/// and `average` shares the weight among all of them. docs/attention.md defines the others.
enum class Weighting : std::uint8_t {
  softmax,
  leftmost,
  rightmost,
  average,
  log_softmax,
  scalable_softmax,  ///< `parameter`: s; 1 unless given
  sparsemax,
  entmax,  ///< `parameter`: α ≥ 1; 1.5 unless given
  stick_breaking,
  geometric,
  monotonic,
  entropy_adaptive,
  gap_adaptive,  ///< `parameter`: ε in (0, 1]; 0.001 unless given
  gumbel_softmax,
  straight_through,
};

struct AttentionOptions {
  Mask mask = Mask::none;
  Weighting weighting = Weighting::softmax;
  double temperature = 1;                ///< scores are divided by it before softmax; 0 stands for the limit
  bool scaled = true;                    ///< scores are q·k/√d_k; otherwise q·k
  std::optional<double> parameter = {};  ///< of the weighting, where it has one
  std::uint64_t seed = 0;                ///< of gumbel_softmax
};

/// Σ_j α_ij v_j for every query i: queries n × d_k, keys m × d_k, values m × d_v, result n × d_v. O(n) memory beyond
/// them where weights are softmax. Throws UserError if shapes do not fit.
Matrix<double> attend(MatrixView<double> queries, MatrixView<double> keys, MatrixView<double> values,
                      const AttentionOptions& options = {});
/// In float32 throughout: softmax at a temperature above 0, of finite numbers.
Matrix<float> attend(MatrixView<float> queries, MatrixView<float> keys, MatrixView<float> values,
                     const AttentionOptions& options = {});
/// The weights α, n × m.
Matrix<double> attention_weights(MatrixView<double> queries, MatrixView<double> keys,
                                 const AttentionOptions& options = {});

struct AttentionGradients {
  Matrix<double> queries, keys, values;
};
/// Of a loss whose gradient with respect to the result of attend() is `d_result`.
AttentionGradients attend_backward(MatrixView<double> queries, MatrixView<double> keys, MatrixView<double> values,
                                   MatrixView<double> d_result, const AttentionOptions& options = {});

/// The weights of one head of a model on a word, n × n; layers and heads are counted from 0. Throws UserError if there
/// is no such head, and for words of more than 4096 symbols.
Matrix<double> head_attention(const Model& model, std::string_view word, std::size_t layer, std::size_t head,
                              Format format = Format::f64, bool hard = false);

}  // namespace quench::api
