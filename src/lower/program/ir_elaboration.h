// Elaboration whose bits are literals of the attention IR; what the lowerings of B-RASP and S-RASP share. Scores
// (lower/program/scores.cpp) are sums of such bits.
#pragma once

#include "ir/graph.h"
#include "lower/program/elaborate.h"

namespace quench::lower {

class IrElaboration : public Elaboration {
 public:
  explicit IrElaboration(const lang::Program& program) : Elaboration(program), scores_(program.vector_count()) {
    graph_.alphabet = program.alphabet;
  }

  Bit truth(bool value) override { return bit(graph_.truth(value)); }
  Bit conjunction(std::vector<Bit> bits) override;

 protected:
  Bit symbol(Symbol symbol) override;
  void name(Bit one, const std::string& name) override;

  static Bit bit(ir::Literal literal) { return literal.node.index * 2 + literal.negated; }
  static ir::Literal literal(Bit bit) { return {ir::NodeId(bit / 2), (bit & 1) != 0}; }

  void score_vector(lang::VectorId id) override;
  /// The share of the positions within reach where a Boolean holds; only S-RASP has it.
  virtual ir::NodeId mean(lang::Reach reach, ir::Literal value);

  /// Every position fits.
  bool always(const Terms& score) const {
    return score.size() == 1 && graph_.is_true(literal(score[0].x)) && graph_.is_true(literal(score[0].y));
  }
  /// The nearest position within reach is the one: i itself, or its neighbour.
  bool nearest(const lang::Attention& attention, const Terms& score) const;

  /// A real where a condition holds, and otherwise 0.
  virtual ir::NodeId gated(ir::NodeId real, ir::Literal condition);

  /// Makes the output vector the graph's output: a Boolean, one case per symbol or string, or the scores.
  void set_output();

  ir::Graph graph_;

  /// constant + Σ factor·bit, in millionths, + Σ factor·real.
  struct ScoreSum {
    std::int64_t constant = 0;
    std::map<Bit, std::int64_t> bits;
    std::map<ir::NodeId, std::int64_t> reals;
  };
  std::vector<ScoreSum> scores_;  // by vector

 private:
  const ScoreSum& score(lang::ExpressionId root);
  ScoreSum gated(Bit condition, const ScoreSum& sum);
  ir::NodeId score_node(const ScoreSum& sum, const std::string& label);

  std::vector<std::string> text(std::int64_t value) const;

  std::unordered_map<std::uint32_t, ScoreSum> score_;  // by expression
};

}  // namespace quench::lower
