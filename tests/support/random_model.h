// Random models for tests: sparse weights, every mask, temperature and weighting, every kind of position encoding.
#pragma once

#include <fmt/format.h>

#include <string>

#include "base/number/random.h"
#include "model/transformer.h"

namespace quench::test {

struct RandomModelOptions {
  int layers = 2;
  int heads = 2;               ///< per layer, at most
  double density = 0.3;        ///< of the weights
  double scale = 1.0;          ///< weights are within ±scale
  bool small_weights = false;  ///< multiples of 1/4: many exact ties between scores
  int longest = 100;           ///< word that position tables reach to
  bool odd_values = false;     ///< also denormal and huge weights (for files, not for running)
};

inline double random_weight(Random& random, const RandomModelOptions& options) {
  if (options.odd_values && random.chance(0.1)) return random.chance(0.5) ? 0x1.0p-1074 : -0x1.fffffffffffffp1023;
  if (options.small_weights) return static_cast<double>(random.between(-4, 4)) / 4;
  return (2 * random.unit() - 1) * options.scale;
}

inline SparseMatrix random_matrix(Random& random, std::size_t rows, std::size_t cols,
                                  const RandomModelOptions& options) {
  SparseMatrix matrix(rows, cols);
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t col = 0; col < cols; ++col)
      if (random.chance(options.density)) matrix.add(row, col, random_weight(random, options));
  return matrix;
}

inline Predicate random_predicate(Random& random) {
  using Op = IntInstruction::Op;
  Predicate predicate;
  predicate.kind = static_cast<Predicate::Kind>(random.below(static_cast<int>(Predicate::Kind::expression) + 1));
  predicate.name = fmt::format("p{}(χ)", random.below(100));
  if (predicate.kind == Predicate::Kind::mod) {
    predicate.modulus = random.between(1, 7);
    predicate.residue = random.between(-9, 9);
  }
  if (predicate.kind == Predicate::Kind::set)
    for (std::int64_t member = random.between(0, 3); member < 40; member += random.between(1, 9))
      predicate.members.push_back(member);
  if (predicate.kind == Predicate::Kind::expression)
    predicate.code = {{Op::x, 0},          {Op::x, 0},      {Op::multiply, 0}, {Op::constant, random.between(-5, 60)},
                      {Op::subtract, 0},   {Op::negate, 0}, {Op::n, 0},        {Op::less_equal, 0},
                      {Op::logical_not, 0}};
  return predicate;
}

inline std::vector<double> random_bias(Random& random, std::size_t size, const RandomModelOptions& options) {
  std::vector<double> bias(size);
  for (double& value : bias)
    value = random.chance(0.4) ? random_weight(random, options) : random.chance(0.2) ? -0.0 : 0.0;
  return bias;
}

inline model::Head random_head(Random& random, std::size_t width, const RandomModelOptions& options) {
  model::Head head;
  head.name = fmt::format("head {} ⊖", random.below(1000));
  head.mask = static_cast<Mask>(random.below(5));
  head.temperature = static_cast<Temperature>(random.below(5));
  head.weighting = static_cast<Weighting>(random.below(4));
  if (random.chance(0.4)) head.weighting = Weighting::soft;
  head.intended = static_cast<Weighting>(random.below(4));
  head.claim = {random.chance(0.5) ? HeadStructure::lookup : HeadStructure::none, Lemma::p_l7, random.unit() * 32};
  const std::size_t d_k = 1 + random.below(5), d_v = 1 + random.below(3);
  head.q = random_matrix(random, d_k, width, options);
  head.k = random_matrix(random, d_k, width, options);
  head.v = random_matrix(random, d_v, width, options);
  head.o = random_matrix(random, width, d_v, options);
  return head;
}

inline model::Layer random_layer(Random& random, std::size_t width, const RandomModelOptions& options) {
  model::Layer layer;
  const std::uint64_t heads = random.below(static_cast<std::uint64_t>(options.heads) + 1);
  for (std::uint64_t h = 0; h < heads; ++h) layer.heads.push_back(random_head(random, width, options));
  const std::size_t hidden = random.below(6);
  layer.ffn = {random_matrix(random, hidden, width, options), random_bias(random, hidden, options),
               random_matrix(random, width, hidden, options), random_bias(random, width, options)};
  return layer;
}

/// Coordinates are let twice: one tenant up to the middle, another from there on.
inline void add_tenants(Random& random, model::Transformer& transformer) {
  const int last = static_cast<int>(2 * transformer.layers.size()), middle = last / 2;
  for (std::uint32_t coordinate = 0; coordinate < transformer.width; ++coordinate) {
    model::Tenant tenant{coordinate, fmt::format("x{}", coordinate), 0, middle, random.chance(0.5), {}, {}};
    if (random.chance(0.7)) tenant.low = -random.unit();
    if (random.chance(0.7)) tenant.high = random.chance(0.5) ? 0x1.0p-1070 : random.unit();
    transformer.tenants.push_back(tenant);
    if (middle < last)
      transformer.tenants.push_back({coordinate, fmt::format("⟨y{}⟩", coordinate), middle + 1, last, true, 0.0, 1.0});
  }
}

inline model::Transformer random_model(Random& random, const RandomModelOptions& options = {}) {
  model::Transformer transformer;
  transformer.alphabet = Alphabet({"a", "β", "begin of word", "😀", "\"\\"});
  transformer.width = 4 + random.below(8);
  transformer.embedding = random_matrix(random, transformer.alphabet.size() + 1, transformer.width, options);
  for (int kind = 0; kind <= static_cast<int>(PositionFormula::Kind::predicate_at_zero); ++kind) {
    if (random.chance(0.5)) continue;
    PositionFormula formula{static_cast<PositionFormula::Kind>(kind), {}};
    if (formula.kind == PositionFormula::Kind::table)
      for (int i = 0; i < options.longest; ++i) formula.table.push_back(random.unit() - 0.25);
    if (formula.kind >= PositionFormula::Kind::predicate) formula.predicate = random_predicate(random);
    transformer.position_encodings.push_back({static_cast<std::uint32_t>(random.below(transformer.width)), formula});
  }
  for (int l = 0; l < options.layers; ++l)
    transformer.layers.push_back(random_layer(random, transformer.width, options));
  transformer.output.coordinate = static_cast<std::uint32_t>(random.below(transformer.width));
  add_tenants(random, transformer);
  transformer.source = "let x = ⊖Q_a;\n\tx & \"y\"";
  transformer.recipe = "17a";
  transformer.logic = "LTL";
  return transformer;
}

/// Symbols of the model's alphabet and kUnmentioned. (base/number/random.h has the same for whole programs; tests of the model
/// stand on their own.)
inline Word word_over(Random& random, const model::Transformer& transformer, std::size_t length) {
  Word word(length);
  for (Symbol& symbol : word) symbol = static_cast<Symbol>(random.below(transformer.alphabet.size() + 1)) - 1;
  return word;
}

}  // namespace quench::test
