// The shipped hard-attention models, and random ones.
#pragma once

#include <string>

#include "base/number/random.h"
#include "model/file.h"
#include "model/transformer.h"
#include "support/paths.h"
#include "support/random_model.h"

namespace quench::test {

inline std::string example_model_path(const std::string& name) {
  return test::source_path("examples/models/") + name + ".safetensors";
}
inline model::Transformer example_model_file(const std::string& name) { return model::load(example_model_path(name)); }

struct HardModelOptions {
  bool ties = true;  ///< weights and position encodings that make equal scores likely
  std::vector<Weighting> weightings{Weighting::ahardmax};
  int layers = 2, heads = 2;
};

/// Two symbols, rational position encodings, every mask, one head in five uniform; small weights, so that errors stay
/// small enough to be compared.
inline model::Transformer random_hard_model(Random& random, const HardModelOptions& options = {}) {
  using Kind = PositionFormula::Kind;
  const RandomModelOptions weights{.density = 0.4, .scale = 0.8, .small_weights = options.ties};
  model::Transformer model;
  model.alphabet = Alphabet({"a", "b"});
  model.width = 3 + random.below(3);
  model.embedding = random_matrix(random, 3, model.width, weights);
  const std::vector<Kind> kinds = options.ties ? std::vector<Kind>{Kind::alternating, Kind::index_over_power}
                                               : std::vector<Kind>{Kind::index_over_length, Kind::inverse_index,
                                                                   Kind::alternating, Kind::index_over_length_sq};
  for (const Kind kind : kinds)
    model.position_encodings.push_back({static_cast<std::uint32_t>(random.below(model.width)), {kind, {}, {}}});
  for (int l = 0; l < options.layers; ++l) {
    model::Layer& layer = model.layers.emplace_back();
    const std::uint64_t heads = 1 + random.below(static_cast<std::uint64_t>(options.heads));
    for (std::uint64_t h = 0; h < heads; ++h) {
      model::Head head = random_head(random, model.width, weights);
      head.weighting = head.intended = options.weightings[random.below(options.weightings.size())];
      if (random.chance(0.2) && head.weighting == Weighting::ahardmax)
        head.q = SparseMatrix(head.q.rows.size(), model.width);
      head.claim = {};
      layer.heads.push_back(std::move(head));
    }
    const std::size_t hidden = random.below(5);
    layer.ffn = {random_matrix(random, hidden, model.width, weights), random_bias(random, hidden, weights),
                 random_matrix(random, model.width, hidden, weights), random_bias(random, model.width, weights)};
  }
  model.output.coordinate = static_cast<std::uint32_t>(random.below(model.width));
  return model;
}

}  // namespace quench::test
