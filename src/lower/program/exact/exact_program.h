// Programs by the recipes `exact`: exact up to a length, integers as whole numbers. Proofs: docs/theory-exact.md.
// Files: exact_program.cpp (recipes, the output), program_integers.cpp (integers at one position),
// program_ratios.cpp (scores and means), program_attention.cpp.
#pragma once

#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lower/exact/exact.h"
#include "lower/program/integer_elaboration.h"

namespace quench::lower {

/// "exact" or "exact-decoder", if the options ask for one of them. Throws DiagnosticError (E102, E107).
const Recipe* exact_program_recipe(const RecipeOptions& options);

/// Throws DiagnosticError (E103, E121, E125, E126, E128), naming what the recipe does not have.
ir::Graph lower_exact_program(const lang::Program& program, const Recipe& recipe, const Tuning& tuning);

class ExactProgram : public IntegerElaboration {
 public:
  ExactProgram(const lang::Program& program, const Recipe& recipe, const Tuning& tuning);
  ir::Graph lower();
  ExactConstructions& constructions() { return build_; }

 protected:
  ir::Literal at_least(lang::ExpressionId a, lang::ExpressionId b) override;
  ir::Literal equal(lang::ExpressionId a, lang::ExpressionId b) override;
  Retrieved attend(const lang::Attention& attention, const Terms& score, const std::vector<Bit>& values,
                   const std::string& name) override;
  Retrieved attend_equal(const lang::Attention& attention, const std::vector<Bit>& values,
                         const std::string& name) override;
  void score_vector(lang::VectorId id) override;
  ir::NodeId mean(lang::Reach reach, ir::Literal value) override;
  ir::NodeId gated(ir::NodeId real, ir::Literal condition) override;
  void integer_vector(lang::VectorId id) override;

 private:
  using Number = ExactConstructions::Number;

  // program_integers.cpp
  const ir::Affine& number(lang::ExpressionId root);
  ir::Affine clipped(const ir::Affine& x, const IntegerRange& range, Span where);
  ir::Affine position() { return build_.number(Number::before) + 1; }
  /// What a choice is between, choices within it taken apart.
  using Branches = std::vector<ExactConstructions::Branch>;
  ir::Affine chosen(lang::ExpressionId id, const lang::Choice& choice);
  [[noreturn]] void cannot_clip(Span where) const;
  ir::Affine sum_over(const lang::SumOver& sum, IntegerRange& range, Span where);

  // program_ratios.cpp
  void set_ratios();
  ir::Affine positions_counted();
  ir::Affine numerator(const ScoreSum& sum, std::int64_t unit, const ir::Affine& positions);

  // program_attention.cpp
  /// One head for each case of what the score reads at i: where `when` holds, it finds the right position if there is
  /// one, and then `found` holds.
  struct Case {
    ir::HeadId head;
    ir::Literal when, found;
    bool copied = true;  ///< under a strict mask keys are copies from the neighbour; looked up positions are not
  };
  std::vector<Case> find(const lang::Attention& attention, const Terms& score, const std::string& name);
  std::vector<Case> find_equal(const lang::Attention& attention, const std::string& name);
  std::vector<Case> find_position(const lang::Attention& attention, lang::ExpressionId a, const Terms& score,
                                  const std::string& name);
  Retrieved retrieve(const lang::Attention& attention, const std::vector<Case>& cases, const std::vector<Bit>& values);
  std::vector<ir::Literal> conjuncts_of(ir::Literal literal) const;
  std::optional<ir::Affine> known(const lang::Attention& attention, const Terms& score, IntegerRange& range);
  ir::Affine integer_attention(const lang::Attention& attention, const std::string& name, IntegerRange& range,
                               Span where);
  ir::Literal key(const lang::Attention& attention, ir::Literal p);
  ir::Affine key(const lang::Attention& attention, const ir::Affine& x);
  ir::Literal retrieved(ir::HeadId head, ir::Literal p);
  Mask mask(const lang::Attention& attention);
  /// Booleans that tell the values of an integer apart, 0 … n+1, of which `zero` and `beyond` can be; `same_bits` has
  /// the bits of x − 1. At `none_at` they are false.
  std::vector<ir::Affine> told_apart(const ir::Affine& x, const ir::Affine& same_bits, double greatest, bool zero,
                                     bool beyond, std::optional<ir::Literal> none_at, const std::string& name);
  ir::Affine before_clipping(const ir::Affine& y) const;

  const Recipe& recipe_;
  ExactConstructions build_;
  std::unordered_map<std::uint32_t, ir::Affine> number_;
  std::unordered_map<std::uint32_t, Branches> branches_;  // of choices, by expression
  std::map<ir::NodeId, ir::Affine> counts_;               // what means are numerators of, by node
  std::optional<lang::Reach> reach_;                      // of all means
  Span score_span_;                                       // of the vector that is being made
};

}  // namespace quench::lower
