#include "export/stock_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/text/utf8.h"
#include "export/ranges.h"

namespace quench::exports {

namespace {

bool writes(const model::Layer& layer, std::size_t coordinate) {
  const auto into = [&](const SparseMatrix& matrix) { return !matrix.rows[coordinate].empty(); };
  return into(layer.ffn.w2) || layer.ffn.b2[coordinate] != 0 ||
         std::any_of(layer.heads.begin(), layer.heads.end(), [&](const model::Head& head) { return into(head.o); });
}

/// A coordinate that every symbol sets to 1 and nothing ever changes. Compiled models have one.
std::optional<std::size_t> constant_one(const model::Transformer& model) {
  for (std::size_t c = 0; c < model.width; ++c) {
    bool constant = true;
    for (std::size_t symbol = 0; symbol < model.embedding.rows.size(); ++symbol)
      constant = constant && model.embedding.at(symbol, c) == 1;
    for (const model::PositionEncoding& encoding : model.position_encodings)
      constant = constant && encoding.coordinate != c;
    for (const model::Layer& layer : model.layers) constant = constant && !writes(layer, c);
    if (constant) return c;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(std::size_t layer, const model::Head& head, const std::string& what) {
  throw UserError(
      fmt::format("head \"{}\" of layer {} has {}; a stock decoder has softmax, the mask future and the temperature 1: "
                  "compile with --decoder, or export to onnx",
                  printable(head.name, kShownName), layer + 1, what));
}

HeadTensors padded_head(const HeadTensors& head, const StockShape& shape) {
  HeadTensors result{padded(head.q, shape.d_head, shape.width), padded(head.k, shape.d_head, shape.width),
                     padded(head.v, shape.d_head, shape.width), padded(head.o, shape.width, shape.d_head),
                     1 / std::sqrt(static_cast<double>(shape.d_head))};
  const double ratio = std::sqrt(static_cast<double>(shape.d_head) / static_cast<double>(head.q.rows));
  for (double& weight : result.q.data) weight *= ratio;
  return result;
}

LayerTensors padded_layer(const LayerTensors& layer, const StockShape& shape) {
  LayerTensors result;
  for (const HeadTensors& head : layer.heads) result.heads.push_back(padded_head(head, shape));
  const HeadTensors dead{Matrix(shape.d_head, shape.width), Matrix(shape.d_head, shape.width),
                         Matrix(shape.d_head, shape.width), Matrix(shape.width, shape.d_head)};
  result.heads.resize(shape.heads, dead);
  result.w1 = padded(layer.w1, shape.hidden, shape.width);
  result.w2 = padded(layer.w2, shape.width, shape.hidden);
  result.b1 = layer.b1;
  result.b1.resize(shape.hidden);
  result.b2 = layer.b2;
  result.b2.resize(shape.width);
  return result;
}

/// Dense and padded, a wide model can need more memory than there is; nobody's tool wants such a file either.
constexpr double kMostWeights = 0x1p28;

void require_moderate_size(std::size_t layers, std::size_t context, const StockShape& shape) {
  const auto width = static_cast<double>(shape.width), heads = static_cast<double>(shape.heads);
  const double per_coordinate =
      static_cast<double>(context) + static_cast<double>(layers) * (4 * heads * static_cast<double>(shape.d_head) +
                                                                    2 * static_cast<double>(shape.hidden));
  if (width * per_coordinate > kMostWeights)
    throw UserError(
        fmt::format("with padding the export would have {:.2g} weights, of which at most {:.2g} are written; "
                    "ask for a shorter --context, or export to onnx",
                    width * per_coordinate, kMostWeights));
}

/// The bias becomes a weight on the constant, for heads of tools that have none.
Readout on_constant(Readout readout, std::size_t width, std::size_t one) {
  readout.weight = padded(readout.weight, readout.weight.rows, width);
  for (std::size_t label = 0; label < readout.labels.size(); ++label) readout.weight(label, one) += readout.bias[label];
  readout.bias.assign(readout.labels.size(), 0.0);
  return readout;
}

double reach(const SparseMatrix::Row& row, const std::vector<double>& magnitudes) {
  double sum = 0;
  for (const auto& [column, weight] : row) sum += std::fabs(weight) * magnitudes[column];
  return sum;
}

/// A power of two of at least twice the greatest score and 128.
double hiding_strength(const model::Head& head, const std::vector<double>& magnitudes) {
  double score = 0;
  for (std::size_t l = 0; l < head.q.rows.size(); ++l)
    score += reach(head.q.rows[l], magnitudes) * reach(head.k.rows[l], magnitudes);
  score /= std::sqrt(static_cast<double>(head.q.rows.size()));
  return std::exp2(std::ceil(std::log2(2 * score + 128)));
}

Matrix with_row(const Matrix& matrix, const double* row, bool in_front) {
  Matrix result(matrix.rows + 1, matrix.cols);
  const auto cols = static_cast<std::ptrdiff_t>(matrix.cols);
  std::copy(matrix.data.begin(), matrix.data.end(), result.data.begin() + (in_front ? cols : 0));
  std::copy(row, row + cols, in_front ? result.data.begin() : result.data.end() - cols);
  return result;
}

void add_first_token(StockDecoder& decoder, const model::Transformer& model, std::size_t context) {
  const std::size_t mark = decoder.data_width++;
  const std::vector<double> greatest = magnitudes(model, context);
  decoder.tokens = with_row(decoder.tokens, &decoder.tokens(decoder.tokens.rows - 1, 0), false);
  decoder.tokens(decoder.tokens.rows - 1, mark) = 1;
  decoder.positions = with_row(decoder.positions, &decoder.positions(0, 0), true);
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (std::size_t h = 0; h < model.layers[l].heads.size(); ++h) {
      const model::Head& head = model.layers[l].heads[h];
      HeadTensors& tensors = decoder.layers[l].heads[h];
      const std::size_t component = head.q.rows.size();
      tensors.q(component, decoder.one) = hiding_strength(head, greatest) / tensors.scale;
      tensors.k(component, mark) = -1;
    }
}

}  // namespace

void require_stock_decoder(const model::Transformer& model) {
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    for (const model::Head& head : model.layers[l].heads) {
      if (head.mask != Mask::future) refuse(l, head, fmt::format("the mask {}", to_string(head.mask)));
      if (head.temperature != Temperature::one)
        refuse(l, head, fmt::format("the temperature {}", to_string(head.temperature)));
      if (head.weighting != Weighting::soft)
        refuse(l, head, fmt::format("the weighting {}", to_string(head.weighting)));
    }
}

StockShape least_shape(const model::Transformer& model, bool bos) {
  const std::size_t more = bos ? 1 : 0;
  StockShape shape{model.width + (constant_one(model) ? 0 : 1) + more, 2, 1, 1};
  for (const model::Layer& layer : model.layers) {
    shape.heads = std::max(shape.heads, layer.heads.size());
    shape.hidden = std::max(shape.hidden, layer.ffn.b1.size());
    for (const model::Head& head : layer.heads)
      while (shape.d_head < std::max(head.q.rows.size() + more, head.v.rows.size())) shape.d_head *= 4;
  }
  return shape;
}

StockDecoder stock_decoder(const model::Transformer& model, std::size_t context, const StockShape& shape, bool bos) {
  require_stock_decoder(model);
  require_moderate_size(model.layers.size(), context, shape);
  const Tensors tensors = tensors_of(model);
  const std::optional<std::size_t> one = constant_one(model);
  StockDecoder decoder{shape, model.width + (one ? 0 : 1), one.value_or(model.width), {}, {}, {}, {}};
  decoder.tokens = padded(tensors.embedding, tensors.embedding.rows, shape.width);
  if (!one)
    for (std::size_t symbol = 0; symbol < decoder.tokens.rows; ++symbol) decoder.tokens(symbol, decoder.one) = 1;
  decoder.positions = padded(position_table(model, context), context, shape.width);
  for (const LayerTensors& layer : tensors.layers) decoder.layers.push_back(padded_layer(layer, shape));
  if (decoder.layers.empty()) decoder.layers.push_back(padded_layer({}, shape));  // tools expect at least one
  decoder.readout = on_constant(readout_of(model), shape.width, decoder.one);
  if (bos) add_first_token(decoder, model, context);
  return decoder;
}

}  // namespace quench::exports
