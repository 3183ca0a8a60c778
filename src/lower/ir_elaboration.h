// Elaboration whose bits are literals of the attention IR; what the lowerings of B-RASP and S-RASP share.
#pragma once

#include "ir/graph.h"
#include "lower/elaborate.h"

namespace quench::lower {

class IrElaboration : public Elaboration {
 public:
  explicit IrElaboration(const lang::Program& program) : Elaboration(program) { graph_.alphabet = program.alphabet; }

  Bit truth(bool value) override { return bit(graph_.truth(value)); }
  Bit conjunction(std::vector<Bit> bits) override;

 protected:
  Bit symbol(Symbol symbol) override;
  void name(Bit one, const std::string& name) override;

  static Bit bit(ir::Literal literal) { return literal.node.index * 2 + literal.negated; }
  static ir::Literal literal(Bit bit) { return {ir::NodeId(bit / 2), (bit & 1) != 0}; }

  /// Makes the output vector the graph's output: a Boolean, or one case per symbol or string.
  void set_output();

  ir::Graph graph_;

 private:
  std::vector<std::string> text(std::int64_t value) const;
};

}  // namespace quench::lower
