#include "soften/hard_model.h"

#include <fmt/format.h>

#include <cmath>

#include "base/tied_keys.h"

namespace quench::soften {
namespace {

SparseMatrix resized(const SparseMatrix& matrix, std::size_t rows, std::size_t cols, double factor = 1) {
  SparseMatrix result(rows, cols);
  for (std::size_t row = 0; row < matrix.rows.size(); ++row)
    for (const auto& [column, value] : matrix.rows[row]) result.add(row, column, factor * value);
  return result;
}

/// The model with more coordinates, which nothing reads or writes yet.
void widen(model::Transformer& model, std::size_t width) {
  model.embedding = resized(model.embedding, model.embedding.rows.size(), width);
  for (model::Layer& layer : model.layers) {
    for (model::Head& head : layer.heads) {
      head.q = resized(head.q, head.q.rows.size(), width);
      head.k = resized(head.k, head.k.rows.size(), width);
      head.v = resized(head.v, head.v.rows.size(), width);
      head.o = resized(head.o, width, head.o.cols);
    }
    layer.ffn.w1 = resized(layer.ffn.w1, layer.ffn.w1.rows.size(), width);
    layer.ffn.w2 = resized(layer.ffn.w2, width, layer.ffn.w2.cols);
    layer.ffn.b2.resize(width);
  }
  model.width = width;
}

/// d_k becomes 4·d_k, so that √d_k doubles exactly; W_Q is doubled for that.
void add_tie_break(model::Head& head, double gap, std::uint32_t one, std::uint32_t place) {
  const std::size_t d_k = head.q.rows.size(), width = head.q.cols;
  const double root = std::sqrt(static_cast<double>(d_k));
  // t·j/n = weight·(j/n)/(2√d_k) with weight ≤ γ√d_k
  const double weight = std::ldexp(1.0, static_cast<int>(std::floor(std::log2(gap * root))));
  head.q = resized(head.q, 4 * d_k, width, 2);
  head.k = resized(head.k, 4 * d_k, width);
  head.q.add(d_k, one, head.weighting == Weighting::rhardmax ? weight : -weight);
  head.k.add(d_k, place, 1);
}

void add_rounding(model::Transformer& model) {
  std::vector<std::uint32_t*> outputs;
  if (model.output.cases.empty()) outputs.push_back(&model.output.coordinate);
  for (model::Output::Case& one : model.output.cases) outputs.push_back(&one.coordinate);
  const std::size_t before = model.width, count = outputs.size();
  widen(model, before + count);
  model::FeedForward ffn{
      SparseMatrix(2 * count, model.width), {}, SparseMatrix(model.width, 2 * count), std::vector<double>(model.width)};
  const int last = static_cast<int>(2 * model.layers.size()) + 2;
  for (std::size_t k = 0; k < count; ++k) {
    const auto fresh = static_cast<std::uint32_t>(before + k);
    for (const std::size_t unit : {2 * k, 2 * k + 1}) {
      ffn.w1.add(unit, *outputs[k], 1);
      ffn.w2.add(fresh, unit, unit % 2 == 0 ? 2 : -2);
      ffn.b1.push_back(unit % 2 == 0 ? -0.25 : -0.75);
    }
    model.tenants.push_back({fresh, fmt::format("output {} rounded", k), last, last, true, 0.0, 1.0});
    *outputs[k] = fresh;
  }
  if (!model.output.cases.empty()) model.output.coordinate = model.output.cases[0].coordinate;
  model.layers.push_back({{}, std::move(ffn)});
}

}  // namespace

model::Transformer hard_model(const model::Transformer& model) {
  model::Transformer hard = model;
  hard.certificate.clear();
  for (std::size_t l = 0; l < hard.layers.size(); ++l)
    for (std::size_t h = 0; h < hard.layers[l].heads.size(); ++h) {
      model::Head& head = hard.layers[l].heads[h];
      if (head.weighting == Weighting::soft) head.weighting = head.intended;
      if (head.weighting == Weighting::soft && !is_uniform(head))
        throw Refusal(fmt::format("head {} is soft, and no hard weighting is intended for it: there is no gap to find",
                                  head_name(model, l, h)));
      head.temperature = Temperature::one;
    }
  return hard;
}

model::Transformer break_ties(const model::Transformer& hard, const std::vector<LengthFacts>& facts) {
  model::Transformer result = hard;
  const auto one = static_cast<std::uint32_t>(hard.width), place = one + 1;
  bool added = false;
  for (std::size_t l = 0; l < hard.layers.size(); ++l)
    for (std::size_t h = 0; h < hard.layers[l].heads.size(); ++h) {
      if (!takes_one_key(hard.layers[l].heads[h].weighting)) continue;
      double gap = 1;
      bool ties = false;
      for (const LengthFacts& known : facts) {
        gap = std::min(gap, known.layers[l].heads[h].gap);
        ties = ties || known.layers[l].heads[h].ties;
      }
      if (ties && !added) {
        added = true;
        widen(result, hard.width + 2);
        for (std::size_t row = 0; row <= hard.alphabet.size(); ++row) result.embedding.add(row, one, 1);
        result.position_encodings.push_back({place, {PositionFormula::Kind::index_over_length, {}, {}}});
        const int last = static_cast<int>(2 * hard.layers.size());
        result.tenants.push_back({one, "1 of the tie-break", 0, last, false, 1.0, 1.0});
        result.tenants.push_back({place, "i/n of the tie-break", 0, last, false, 0.0, 1.0});
      }
      model::Head& head = result.layers[l].heads[h];
      if (ties) add_tie_break(head, gap, one, place);
      head.weighting = Weighting::ahardmax;
    }
  return result;
}

model::Transformer soft_model(const model::Transformer& average_hard, const Sharpening& sharpening, bool round) {
  model::Transformer soft = average_hard;
  for (model::Layer& layer : soft.layers)
    for (model::Head& head : layer.heads) {
      head.intended = Weighting::ahardmax;
      head.claim = {};
      if (is_uniform(head)) {
        head.claim.structure = HeadStructure::uniform;
      } else {
        head.q = resized(head.q, head.q.rows.size(), head.q.cols, sharpening.scale);
        head.temperature = sharpening.formula;
      }
      head.weighting = Weighting::soft;
    }
  if (round) add_rounding(soft);
  soft.recipe = "soften";
  return soft;
}

}  // namespace quench::soften
