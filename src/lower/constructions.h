// What the lowering asks of a family of recipes: the operators of the logic, over one graph being built. The paper's
// family is paper.h, ours are tight.h and exact.h; each construction is derived above its definition.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/number/int128.h"
#include "bounds/comparison.h"
#include "ir/graph.h"
#include "lang/formula.h"
#include "lower/recipe.h"

namespace quench::lower {

enum class Direction : std::uint8_t { past, future };  // of the logic: past looks left, under the future mask

class Constructions {
 public:
  virtual ~Constructions() = default;

  /// ⊖φ, ⊕φ
  virtual ir::Literal neighbour(Direction direction, ir::Literal phi, const std::string& label) = 0;

  /// `value` at the nearest j ≤ i (past) or j ≥ i (future) where `selected` holds; if there is none, at j = i.
  virtual ir::Literal nearest(Direction direction, ir::Literal selected, ir::Literal value,
                              const std::string& label) = 0;

  struct WeightedCount {
    Int128 coefficient;
    lang::Scope scope;
    ir::Literal of;
    std::string label;
  };
  enum class Sign : std::uint8_t { not_negative, zero };
  /// A comparison is refused unless double precision decides it for words of at least this length.
  virtual double assured_length() const { return 256; }
  /// Up to which length `linear` of these is right in double precision, on engines that normalise last; infinite where
  /// it makes no weights of the numbers, 0 if at no length. bounds/double_length.h
  virtual double double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) const = 0;
  /// Σ c_k κ_k + constant ≥ 0, or = 0: at least one count. The numbers must be exact as doubles wherever they become
  /// weights: double_length is at least 1.
  virtual ir::Literal linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                             const std::string& label) = 0;

  /// θ(κ)
  virtual ir::Literal predicate_of(const Predicate& theta, lang::Scope scope, ir::Literal of,
                                   const std::string& label) = 0;

 protected:
  Constructions(ir::Graph& graph, const Recipe& recipe) : graph_(graph), recipe_(recipe) {}

  ir::NodeId position(PositionFormula::Kind kind);
  ir::HeadId uniform(Mask mask);  ///< the mean over the visible positions
  ir::Literal odd();              ///< i is odd
  ir::Literal at_zero(const Predicate& theta);
  /// The Boolean that a head retrieves with at most `error` of its weight in the wrong place. [P-L9]
  ir::Literal rounded(const ir::Affine& attended, double error, const std::string& label);

  /// What a comparison asks: whether some count is positive, or none; or more, the sign of a sum.
  enum class Question : std::uint8_t { some, none, sign };
  static Question question(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign);

  /// The sums of |c_k|, rounded.
  static bounds::ComparisonWeights weights_of(const std::vector<WeightedCount>& counts);

  ir::Graph& graph_;
  const Recipe& recipe_;
};

/// The mask of a head that averages over what a count counts.
Mask mask_of(lang::Scope scope);

std::unique_ptr<Constructions> make_constructions(ir::Graph& graph, const Recipe& recipe, const Tuning& tuning);

}  // namespace quench::lower
