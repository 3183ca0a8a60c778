// The paper's constructions; files: landmarks.cpp (first, last, 1/i …), previous.cpp (⊖ ⊕), since.cpp (since, until),
// count.cpp (counts, comparisons, θ).
#pragma once

#include "lower/constructions.h"

namespace quench::lower {

class PaperConstructions final : public Constructions {
 public:
  PaperConstructions(ir::Graph& graph, const Recipe& recipe, double gamma)
      : Constructions(graph, recipe), gamma_(gamma) {}

  ir::Literal neighbour(Direction direction, ir::Literal phi, const std::string& label) override;
  ir::Literal nearest(Direction direction, ir::Literal selected, ir::Literal value, const std::string& label) override;
  double double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) const override;
  ir::Literal linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                     const std::string& label) override;
  ir::Literal predicate_of(const Predicate& theta, lang::Scope scope, ir::Literal of,
                           const std::string& label) override;

 private:
  ir::Literal first();                            ///< i = 1
  ir::Literal last();                             ///< i = n
  ir::Literal last_where(bool odd);               ///< i = n and i is odd / even
  ir::Affine inverse_visible(lang::Scope scope);  ///< 1/i, 1/(n−i+1) or 1/n
  ir::HeadId tie_broken(Direction direction, ir::Affine score, const std::string& name);
  ir::HeadId lookup(lang::Scope scope, const ir::Affine& mean, int offset, double scale, const std::string& name);
  ir::Affine mean(lang::Scope scope, ir::Literal of, const std::string& label);
  bool offers(PositionFormula::Kind kind) const;

  double gamma_;
};

}  // namespace quench::lower
