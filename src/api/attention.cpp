#include <quench/attention.h>

#include <cmath>

#include "api/convert.h"
#include "api/inside.h"
#include "attention/attention.h"
#include "attention/kernel/tiled.h"
#include "run/inspect/attention_view.h"

namespace quench::api {
namespace {

using attention::Rows;

quench::Mask mask_of(Mask mask) {
  switch (mask) {
    case Mask::none:
      return quench::Mask::none;
    case Mask::future:
      return quench::Mask::future;
    case Mask::past:
      return quench::Mask::past;
    case Mask::strict_future:
      return quench::Mask::strict_future;
    case Mask::strict_past:
      return quench::Mask::strict_past;
  }
  throw quench::UserError("this is not a mask");
}

attention::WeightingFunction weighting_of(const AttentionOptions& options) {
  switch (options.weighting) {
    case Weighting::softmax:
      return attention::Softmax{options.temperature};
    case Weighting::leftmost:
      return attention::Hardmax{quench::Weighting::lhardmax};
    case Weighting::rightmost:
      return attention::Hardmax{quench::Weighting::rhardmax};
    case Weighting::average:
      return attention::Hardmax{quench::Weighting::ahardmax};
  }
  throw quench::UserError("this is not a weighting");
}

attention::Attention attention_of(const AttentionOptions& options) {
  if (!(options.temperature >= 0)) throw quench::UserError("a temperature is at least 0");
  attention::Attention result;
  if (!options.scaled) result.score = attention::Dot{};
  result.mask = mask_of(options.mask);
  result.weighting = weighting_of(options);
  return result;
}

template <class T>
Rows<const T> rows(const Matrix<T>& matrix) {
  if (matrix.data.size() != matrix.rows * matrix.cols)
    throw quench::UserError("a matrix has rows times columns entries");
  return {matrix.data.data(), matrix.rows, matrix.cols};
}

template <class T>
void require_shapes(const Matrix<T>& queries, const Matrix<T>& keys) {
  if (queries.cols != keys.cols) throw quench::UserError("queries and keys need the same width");
  if (queries.cols == 0) throw quench::UserError("queries and keys need at least one column");
}

template <class T>
void require_shapes(const Matrix<T>& queries, const Matrix<T>& keys, const Matrix<T>& values) {
  require_shapes(queries, keys);
  if (keys.rows != values.rows) throw quench::UserError("attention needs as many values as keys");
}

Matrix<double> outside(const quench::Matrix& matrix) { return {matrix.rows, matrix.cols, matrix.data}; }

bool finite(const Matrix<float>& matrix) {
  for (const float entry : matrix.data)
    if (!std::isfinite(entry)) return false;
  return true;
}

}  // namespace

Matrix<double> attend(const Matrix<double>& queries, const Matrix<double>& keys, const Matrix<double>& values,
                      const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys, values);
    return outside(attention::attend(attention_of(options), rows(queries), rows(keys), rows(values)));
  });
}

Matrix<float> attend(const Matrix<float>& queries, const Matrix<float>& keys, const Matrix<float>& values,
                     const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys, values);
    if (options.weighting != Weighting::softmax || !(options.temperature > 0) || !finite(queries) || !finite(keys) ||
        !finite(values))
      throw quench::UserError("attention in float32 is softmax at a temperature above 0, of finite numbers");
    attention::TiledAttention tiled;
    if (options.scaled) tiled.scale = 1 / std::sqrt(static_cast<double>(keys.cols));
    tiled.mask = mask_of(options.mask);
    tiled.tau = options.temperature;
    tiled.entropy = false;
    Matrix<float> result(queries.rows, values.cols);
    attention::tiled_forward<float>(tiled, rows(queries), rows(keys), rows(values),
                                    Rows<float>(result.data.data(), result.rows, result.cols));
    return result;
  });
}

Matrix<double> attention_weights(const Matrix<double>& queries, const Matrix<double>& keys,
                                 const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys);
    return outside(attention::weights(attention_of(options), rows(queries), rows(keys)));
  });
}

AttentionGradients attend_backward(const Matrix<double>& queries, const Matrix<double>& keys,
                                   const Matrix<double>& values, const Matrix<double>& d_result,
                                   const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys, values);
    const attention::Gradients found = attention::attend_backward(attention_of(options), rows(queries), rows(keys),
                                                                  rows(values), {.d_output = rows(d_result)});
    return AttentionGradients{outside(found.q), outside(found.k), outside(found.v)};
  });
}

Matrix<double> head_attention(const Model& model, std::string_view word, std::size_t layer, std::size_t head,
                              Format format, bool hard) {
  return translated([&] {
    const model::Transformer& network = model.inside().model;
    const run::Options options{inside(format), hard};
    return outside(run::attention_view(network, network.alphabet.parse(word), {layer, head}, options).weights);
  });
}

}  // namespace quench::api
