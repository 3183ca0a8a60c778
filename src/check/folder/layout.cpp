#include "check/folder/layout.h"

#include <cmath>

#include "base/text/word_text.h"
#include "check/facts.h"
#include "model/position.h"

namespace quench::check {
namespace {

double row_total(const Matrix& matrix, std::size_t row) {
  double sum = 0;
  for (std::size_t c = 0; c < matrix.cols; ++c) sum += matrix(row, c);
  return sum;
}

double column_total(const Matrix& matrix, std::size_t column) {
  double sum = 0;
  for (std::size_t row = 0; row < matrix.rows; ++row) sum += matrix(row, column);
  return sum;
}

void sum_rows_to_zero(Matrix& matrix, std::size_t column) {
  for (std::size_t row = 0; row < matrix.rows; ++row) matrix(row, column) = -row_total(matrix, row);
}

void sum_columns_to_zero(Matrix& matrix, std::size_t row) {
  for (std::size_t column = 0; column < matrix.cols; ++column) matrix(row, column) = -column_total(matrix, column);
}

/// The first coordinate that all symbols set to 1, no position encoding has and nothing writes to; the width if none.
std::size_t constant_coordinate(const model::Transformer& model) {
  for (std::size_t c = 0; c < model.width; ++c) {
    bool fine = true;
    for (std::size_t row = 0; row < model.embedding.rows.size(); ++row) fine = fine && model.embedding.at(row, c) == 1;
    for (const auto& encoding : model.position_encodings) fine = fine && encoding.coordinate != c;
    for (const model::Layer& layer : model.layers) {
      fine = fine && layer.ffn.w2.rows[c].empty() && layer.ffn.b2[c] == 0;
      for (const model::Head& head : layer.heads) fine = fine && head.o.rows[c].empty();
    }
    if (fine) return c;
  }
  return model.width;
}

bool single_symbols(const model::Output& output) {
  if (output.kind != model::OutputKind::string && output.kind != model::OutputKind::scores) return false;
  for (const model::Output::Case& one : output.cases)
    if (one.symbols.size() != 1) return false;
  return true;
}

}  // namespace

Layout::Layout(const model::Transformer& model, const model::FolderCertificate& certificate, std::size_t heads_there,
               std::size_t hidden_there)
    : width(certificate.width),
      heads(heads_there),
      d_head(heads == 0 ? 0 : width / heads),
      hidden(hidden_there),
      layers(std::max<std::size_t>(1, model.layers.size())),
      context(certificate.context),
      vocabulary(model.alphabet.size() + 2),
      one(constant_coordinate(model)),
      ground(model.width + (one == model.width ? 1 : 0)),
      balance(ground + 1),
      first_pin(width - 2 * certificate.pairs),
      constant(certificate.constant),
      gain(std::sqrt(2 * static_cast<double>(certificate.pairs) / static_cast<double>(width)) * constant) {
  const auto power_of_four = [](std::size_t x) {
    return x != 0 && (x & (x - 1)) == 0 && (x & 0x5555555555555555U) != 0;
  };
  if (width == 0 || (width & (width - 1)) != 0 || width > 1U << 20 || certificate.pairs == 0 || certificate.pairs > 2 ||
      balance >= first_pin || heads * d_head != width || !power_of_four(d_head))
    throw Rejected("a shape that no pinned decoder has");
  if (!(constant > 0) || !power_of_two(constant) || !power_of_two(gain))
    throw Rejected("pins that are no powers of two");
  lay_out_tables(model);
  blocks.resize(layers);
  for (Block& block : blocks) {
    block.q = block.k = block.v = block.o = Matrix(width, width);
    block.w1 = Matrix(hidden, width), block.w2 = Matrix(width, hidden);
    block.b1.resize(hidden), block.b2.resize(width);
  }
  for (std::size_t l = 0; l < model.layers.size(); ++l) lay_out_block(model.layers[l], blocks[l]);
  lay_out_answers(model);
  lay_out_next(model);
}

void Layout::lay_out_tables(const model::Transformer& model) {
  tokens = Matrix(vocabulary, width);
  for (std::size_t token = 0; token < vocabulary; ++token) {
    const std::size_t row = std::min(token, model.alphabet.size());  // padding is as what is not mentioned
    for (const auto& [column, value] : model.embedding.rows[row]) tokens(token, column) = value;
    tokens(token, one) = 1;
  }
  sum_rows_to_zero(tokens, balance);
  for (std::size_t token = 0; token < vocabulary; ++token)
    for (std::size_t pin = first_pin; pin < width; ++pin)
      tokens(token, pin) = (pin - first_pin) % 2 == 0 ? constant : -constant;
  positions = Matrix(context, width);
  for (const model::PositionEncoding& encoding : model.position_encodings)
    for (std::size_t i = 1; i <= context; ++i)
      positions(i - 1, encoding.coordinate) += model::position_value(encoding.formula, i, context);
  sum_rows_to_zero(positions, balance);
}

void Layout::lay_out_block(const model::Layer& layer, Block& block) const {
  if (layer.heads.size() > heads || layer.ffn.b1.size() > hidden)
    throw Rejected("fewer heads or units than the model has");
  for (std::size_t h = 0; h < layer.heads.size(); ++h) {
    const model::Head& head = layer.heads[h];
    const std::size_t d_k = head.q.rows.size();
    if (head.mask != Mask::future || head.temperature != Temperature::one || head.weighting != Weighting::soft ||
        d_k > d_head || head.v.rows.size() > d_head)
      throw Rejected("a head that no stock decoder has");
    const double grown = std::sqrt(static_cast<double>(d_head) / static_cast<double>(d_k));
    for (std::size_t l = 0; l < d_k; ++l) {
      for (const auto& [c, w] : head.q.rows[l]) block.q(h * d_head + l, c) = w * grown;
      for (const auto& [c, w] : head.k.rows[l]) block.k(h * d_head + l, c) = w;
    }
    for (std::size_t l = 0; l < head.v.rows.size(); ++l)
      for (const auto& [c, w] : head.v.rows[l]) block.v(h * d_head + l, c) = w;
    for (std::size_t c = 0; c < head.o.rows.size(); ++c)
      for (const auto& [l, w] : head.o.rows[c]) block.o(c, h * d_head + l) = w;
  }
  for (std::size_t unit = 0; unit < layer.ffn.b1.size(); ++unit) {
    block.b1[unit] = layer.ffn.b1[unit];
    for (const auto& [c, w] : layer.ffn.w1.rows[unit]) block.w1(unit, c) = w;
  }
  double total = 0;
  for (std::size_t c = 0; c < layer.ffn.w2.rows.size(); ++c) {
    total += block.b2[c] = layer.ffn.b2[c];
    for (const auto& [unit, w] : layer.ffn.w2.rows[c]) block.w2(c, unit) = w;
  }
  block.b2[balance] = -total;
  for (Matrix* reader : {&block.q, &block.k, &block.v, &block.w1}) sum_rows_to_zero(*reader, ground);
  for (Matrix* writer : {&block.o, &block.w2}) sum_columns_to_zero(*writer, balance);
}

void Layout::lay_out_answers(const model::Transformer& model) {
  const model::Output& output = model.output;
  const std::size_t cases = output.cases.size();
  if (output.kind == model::OutputKind::boolean) {
    labels = {"no", "yes"};
    answers = Matrix(2, width);
    for (const std::size_t label : {0, 1}) {
      const double scale = label == 1 ? 20 : -20;
      answers(label, output.coordinate) = scale;
      answers(label, one) += -scale / 2;
    }
  } else if (output.kind == model::OutputKind::string || output.kind == model::OutputKind::scores) {
    const bool string = output.kind == model::OutputKind::string;
    for (const model::Output::Case& each : output.cases)
      labels.push_back(each.symbols.empty() ? "value" : joined_symbols(model.alphabet, each.symbols));
    if (string) labels.push_back("[UNK]");
    answers = Matrix(labels.size(), width);
    for (std::size_t k = 0; k < cases; ++k) {
      const double scale = string ? 20 + 2 * static_cast<double>(cases - 1 - k) : 1;
      answers(k, output.cases[k].coordinate) = scale;
      if (string) answers(k, one) += -scale / 2;
    }
  } else {
    throw Rejected("a model that puts out numbers");
  }
  sum_rows_to_zero(answers, ground);
}

void Layout::lay_out_next(const model::Transformer& model) {
  if (!single_symbols(model.output)) return;
  next = Matrix(vocabulary, width);
  for (std::size_t token = 0; token < vocabulary; ++token) next(token, one) = -40, next(token, ground) = 40;
  const auto take = [&](std::size_t token, std::size_t label) {
    for (std::size_t c = 0; c < width; ++c) next(token, c) = answers(label, c);
  };
  if (model.output.kind == model::OutputKind::string) take(model.alphabet.size(), model.output.cases.size());
  for (std::size_t k = model.output.cases.size(); k-- > 0;) {  // of several cases of a symbol the first counts
    const Symbol symbol = model.alphabet.find(model.output.cases[k].symbols[0]);
    take(symbol == kUnmentioned ? model.alphabet.size() : static_cast<std::size_t>(symbol), k);
  }
}

}  // namespace quench::check
