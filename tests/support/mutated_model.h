// Models that somebody has been at: a few weights scaled, perturbed, swapped, put near the ends of the format or made
// to tie, masks and weightings exchanged. Still valid, mostly without meaning; every executor must run them alike.
#pragma once

#include <cmath>
#include <limits>
#include <vector>

#include "base/number/random.h"
#include "model/transformer.h"

namespace quench::test {

/// The matrices of a model, all of them.
inline std::vector<SparseMatrix*> matrices_of(model::Transformer& model) {
  std::vector<SparseMatrix*> result{&model.embedding};
  for (model::Layer& layer : model.layers) {
    for (model::Head& head : layer.heads) result.insert(result.end(), {&head.q, &head.k, &head.v, &head.o});
    result.insert(result.end(), {&layer.ffn.w1, &layer.ffn.w2});
  }
  return result;
}

inline std::vector<double*> weights_of(SparseMatrix& matrix) {
  std::vector<double*> result;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row)
    if (!matrix.rows[row].empty())
      for (SparseMatrix::Entry& entry : matrix.rows.edit(row)) result.push_back(&entry.value);
  return result;
}

/// Finite, and not 0, which a matrix does not hold.
inline double as_weight(double x) {
  if (x == 0 || std::isnan(x)) return std::numeric_limits<double>::denorm_min();
  return std::isinf(x) ? std::copysign(std::numeric_limits<double>::max(), x) : x;
}

inline double mutated(Random& random, double x, NumberFormat format) {
  const bool single = format == NumberFormat::f32;
  constexpr int kExponents[] = {-1, 1, -3, 3, -10, 10, -24, 24, -53, 53, -60, 60};
  constexpr int kFarExponents[] = {-126, -140, -62, 62, 100, 120, 127};
  const int factor = single ? 1 : 8;  // the exponents of double reach eight times as far
  const double greatest = single ? 0x1.fffffep127 : std::numeric_limits<double>::max();
  const double least = single ? 0x1p-149 : 0x1p-1074;
  switch (random.below(10)) {
    case 0:
    case 1:
      return as_weight(std::ldexp(x, kExponents[random.below(std::size(kExponents))]));
    case 2:
      return as_weight(std::ldexp(x, factor * kFarExponents[random.below(std::size(kFarExponents))]));
    case 3:
      return as_weight(x * (1 + std::ldexp(random.chance(0.5) ? 1.0 : -1.0, single ? -23 : -52)));  // one unit
    case 4:
      return as_weight(x * (1 + 1e-3 * (random.unit() - 0.5)));
    case 5:
      return -x;
    case 6:
      return std::copysign(greatest * std::ldexp(1.0, -static_cast<int>(random.below(3))), x);
    case 7:
      return std::copysign(least * static_cast<double>(1 + random.below(5)), x);  // subnormal
    case 8:
      return static_cast<double>(random.between(1, 4)) / 4;
    default:
      return as_weight(2 * random.unit() - 1);
  }
}

/// Exchanges what is no matrix: masks, weightings, temperatures, biases, formulas of positions.
inline void mutate_settings(Random& random, model::Transformer& model, NumberFormat format) {
  if (model.layers.empty()) return;
  model::Layer& layer = model.layers[random.below(model.layers.size())];
  std::vector<double>& bias = random.chance(0.5) ? layer.ffn.b1 : layer.ffn.b2;
  if (random.chance(0.4) && !bias.empty()) {
    double& x = bias[random.below(bias.size())];
    x = mutated(random, x == 0 ? 1 : x, format);
  }
  if (random.chance(0.3) && !model.position_encodings.empty()) {
    using Kind = PositionFormula::Kind;
    constexpr Kind kKinds[] = {Kind::index,       Kind::index_sq,          Kind::index_over_length, Kind::inverse_index,
                               Kind::alternating, Kind::index_alternating, Kind::log_index};
    model.position_encodings[random.below(model.position_encodings.size())].formula = {
        kKinds[random.below(std::size(kKinds))], {}, {}};
  }
  if (layer.heads.empty()) return;
  model::Head& head = layer.heads[random.below(layer.heads.size())];
  if (random.chance(0.3)) head.mask = static_cast<Mask>(random.below(5));
  if (random.chance(0.3)) head.temperature = static_cast<Temperature>(random.below(5));
  if (random.chance(0.2)) head.weighting = static_cast<Weighting>(random.below(4));
  if (random.chance(0.3)) head.intended = static_cast<Weighting>(random.below(4));
}

/// Two symbols become one, but for their names; or all weights of a matrix become multiples of a quarter: scores tie.
inline void make_ties(Random& random, model::Transformer& model, SparseMatrix& matrix) {
  if (random.chance(0.5)) {
    SparseMatrix::Rows& rows = model.embedding.rows;
    const std::size_t symbol = random.below(rows.size());
    const SparseMatrix::Row other = rows[random.below(rows.size())];
    rows.edit(symbol) = other;
    rows.drop_if_empty(symbol);
    return;
  }
  for (double* weight : weights_of(matrix)) *weight = as_weight(std::round(4 * *weight) / 4);
}

/// One to four changes; `format` is that of the run, whose ends are looked for.
inline model::Transformer mutated_model(Random& random, model::Transformer model, NumberFormat format) {
  const std::vector<SparseMatrix*> matrices = matrices_of(model);
  for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    SparseMatrix& matrix = *matrices[random.below(matrices.size())];
    const std::vector<double*> weights = weights_of(matrix);
    const std::uint64_t kind = random.below(8);
    if (kind == 0) {
      mutate_settings(random, model, format);
    } else if (weights.empty()) {
      continue;
    } else if (kind == 1) {
      make_ties(random, model, matrix);
    } else if (kind == 2) {
      std::swap(*weights[random.below(weights.size())], *weights[random.below(weights.size())]);
    } else if (kind == 3) {  // all of them
      const double one = mutated(random, 1.0, format);
      for (double* weight : weights) *weight = as_weight(*weight * one);
    } else {
      double& weight = *weights[random.below(weights.size())];
      weight = mutated(random, weight, format);
    }
  }
  return model;
}

}  // namespace quench::test
