#include <quench/attention.h>

#include <cmath>
#include <limits>

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

double within(double value, double low, double high, const char* what) {
  if (!(value >= low && value <= high)) throw quench::UserError(what);
  return value;
}

attention::WeightingFunction weighting_of(const AttentionOptions& options) {
  constexpr double kLargest = std::numeric_limits<double>::max();
  const attention::Tau tau(options.temperature);
  const auto parameter = [&](double usual, double low, double high, const char* what) {
    return within(options.parameter.value_or(usual), low, high, what);
  };
  switch (options.weighting) {
    case Weighting::softmax:
      return attention::Softmax{options.temperature};
    case Weighting::leftmost:
      return attention::Hardmax{quench::Weighting::lhardmax};
    case Weighting::rightmost:
      return attention::Hardmax{quench::Weighting::rhardmax};
    case Weighting::average:
      return attention::Hardmax{quench::Weighting::ahardmax};
    case Weighting::log_softmax:
      return attention::LogSoftmax{tau};
    case Weighting::scalable_softmax:
      return attention::ScalableSoftmax{parameter(1, 0, kLargest, "scalable softmax has a parameter s of at least 0")};
    case Weighting::sparsemax:
      return attention::Sparsemax{tau};
    case Weighting::entmax:
      return attention::Entmax{parameter(1.5, 1, kLargest, "entmax has a parameter alpha of at least 1"), tau};
    case Weighting::stick_breaking:
      return attention::StickBreaking{tau};
    case Weighting::geometric:
      return attention::GeometricAttention{tau};
    case Weighting::monotonic:
      return attention::MonotonicAttention{tau};
    case Weighting::entropy_adaptive:
      return attention::EntropyAdaptive{};
    case Weighting::gap_adaptive:
      return attention::GapAdaptive{
          parameter(1e-3, std::numeric_limits<double>::min(), 1, "gap-adaptive attention has a parameter in (0, 1]")};
    case Weighting::gumbel_softmax:
      return attention::GumbelSoftmax{tau, options.seed};
    case Weighting::straight_through:
      return attention::StraightThrough{tau};
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
Rows<const T> rows(MatrixView<T> matrix) {
  return {matrix.data, matrix.rows, matrix.cols};
}

template <class T>
void require_shapes(MatrixView<T> queries, MatrixView<T> keys) {
  if (queries.cols != keys.cols) throw quench::UserError("queries and keys need the same width");
  if (queries.cols == 0) throw quench::UserError("queries and keys need at least one column");
}

template <class T>
void require_shapes(MatrixView<T> queries, MatrixView<T> keys, MatrixView<T> values) {
  require_shapes(queries, keys);
  if (keys.rows != values.rows) throw quench::UserError("attention needs as many values as keys");
}

Matrix<double> outside(quench::Matrix matrix) { return {matrix.rows, matrix.cols, std::move(matrix.data)}; }

bool finite(MatrixView<float> matrix) {
  for (std::size_t k = 0; k < matrix.rows * matrix.cols; ++k)
    if (!std::isfinite(matrix.data[k])) return false;
  return true;
}

}  // namespace

template <class T>
MatrixView<T>::MatrixView(const Matrix<T>& matrix) : MatrixView(matrix.data.data(), matrix.rows, matrix.cols) {
  if (matrix.data.size() != rows * cols) throw UserError("a matrix has rows times columns entries");
}
template struct MatrixView<double>;
template struct MatrixView<float>;

Matrix<double> attend(MatrixView<double> queries, MatrixView<double> keys, MatrixView<double> values,
                      const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys, values);
    return outside(attention::attend(attention_of(options), rows(queries), rows(keys), rows(values)));
  });
}

Matrix<float> attend(MatrixView<float> queries, MatrixView<float> keys, MatrixView<float> values,
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

Matrix<double> attention_weights(MatrixView<double> queries, MatrixView<double> keys, const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys);
    return outside(attention::weights(attention_of(options), rows(queries), rows(keys)));
  });
}

AttentionGradients attend_backward(MatrixView<double> queries, MatrixView<double> keys, MatrixView<double> values,
                                   MatrixView<double> d_result, const AttentionOptions& options) {
  return translated([&] {
    require_shapes(queries, keys, values);
    if (d_result.rows != queries.rows || d_result.cols != values.cols)
      throw quench::UserError("the gradient needs the shape of the result");
    attention::Gradients found = attention::attend_backward(attention_of(options), rows(queries), rows(keys),
                                                            rows(values), {.d_output = rows(d_result)});
    return AttentionGradients{outside(std::move(found.q)), outside(std::move(found.k)), outside(std::move(found.v))};
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
