// Elaboration of programs with integers: what the recipes of S-RASP share, whatever an integer is in the network.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "lower/program/integer_range.h"
#include "lower/program/ir_elaboration.h"

namespace quench::lower {

class IntegerElaboration : public IrElaboration {
 public:
  explicit IntegerElaboration(const lang::Program& program);

 protected:
  bool finite(lang::ExpressionId integer) const override { return finite_[integer.index]; }
  Bit compare(lang::ExpressionId id, const lang::Compare& comparison) override;
  /// a ≥ b and a = b, of integers at one position.
  virtual ir::Literal at_least(lang::ExpressionId a, lang::ExpressionId b) = 0;
  virtual ir::Literal equal(lang::ExpressionId a, lang::ExpressionId b) = 0;

  const IntegerRange& range_of(lang::ExpressionId root);

  /// A score that asks for integers to be equal, a at the query and b at the key; and what else it asks for.
  struct Equality {
    lang::ExpressionId a, b;
    Terms rest;
  };
  Equality equality(const lang::Attention& attention);

  std::vector<std::optional<ir::Affine>> integers_;  // by vector
  std::vector<IntegerRange> ranges_;                 // by vector
  std::vector<bool> finite_;                         // by expression
  std::unordered_map<std::uint32_t, IntegerRange> expression_ranges_;
};

}  // namespace quench::lower
