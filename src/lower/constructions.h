// The constructions a recipe offers, over one graph being built. Each is derived above its definition; files:
// landmarks.cpp (first, last, 1/i …), previous.cpp (⊖ ⊕), since.cpp (since, until), count.cpp (counts, comparisons, θ).
#pragma once

#include <map>
#include <string>

#include "ir/graph.h"
#include "lang/formula.h"
#include "lower/recipe.h"

namespace quench::lower {

enum class Direction : std::uint8_t { past, future };  // of the logic: past looks left, under the future mask

class Constructions {
 public:
  Constructions(ir::Graph& graph, const Recipe& recipe, double gamma) : graph_(graph), recipe_(recipe), gamma_(gamma) {}

  // landmarks.cpp
  ir::Literal odd();                               ///< i is odd
  ir::Literal first();                             ///< i = 1
  ir::Literal last();                              ///< i = n
  ir::Literal last_where(bool odd);                ///< i = n and i is odd / even
  ir::Affine inverse_visible(lang::Scope scope);   ///< 1/i, 1/(n−i+1) or 1/n
  ir::NodeId position(PositionFormula::Kind kind);
  ir::HeadId uniform(Mask mask);                   ///< the mean over the visible positions

  // previous.cpp
  ir::Literal neighbour(Direction direction, ir::Literal phi, const std::string& label);  ///< ⊖φ, ⊕φ

  // since.cpp
  /// `value` at the nearest j ≤ i (past) or j ≥ i (future) where `selected` holds; if there is none, at j = i.
  ir::Literal nearest(Direction direction, ir::Literal selected, ir::Literal value, const std::string& label);

  // count.cpp
  struct WeightedCount {
    double coefficient;
    lang::Scope scope;
    ir::Literal of;
    std::string label;
  };
  enum class Sign : std::uint8_t { not_negative, zero };
  /// Σ c_k κ_k + constant ≥ 0, or = 0.
  ir::Literal linear(const std::vector<WeightedCount>& counts, double constant, Sign sign, const std::string& label);
  /// θ(κ).
  ir::Literal predicate_of(const Predicate& theta, lang::Scope scope, ir::Literal of, const std::string& label);

 private:
  ir::HeadId tie_broken(Direction direction, ir::Affine score, const std::string& name);
  ir::Literal rounded(ir::NodeId attended, double gamma, const std::string& label);
  ir::HeadId lookup(lang::Scope scope, const ir::Affine& mean, int offset, double scale, const std::string& name);
  ir::Affine mean(lang::Scope scope, ir::Literal of, const std::string& label);
  ir::Literal at_zero(const Predicate& theta);
  bool offers(PositionFormula::Kind kind) const;

  ir::Graph& graph_;
  const Recipe& recipe_;
  double gamma_;
};

}  // namespace quench::lower
