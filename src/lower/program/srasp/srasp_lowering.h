// The lowering of S-RASP to attention: integer expressions (srasp_integers.cpp) and attention (srasp_attention.cpp).
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lower/program/integer_elaboration.h"
#include "lower/program/srasp/stored_integers.h"
#include "lower/recipe.h"

namespace quench::lower {

class SraspLowering : public IntegerElaboration {
 public:
  SraspLowering(const lang::Program& program, const Recipe& recipe, double sharpness);
  ir::Graph lower();

 protected:
  ir::Literal at_least(lang::ExpressionId a, lang::ExpressionId b) override;
  ir::Literal equal(lang::ExpressionId a, lang::ExpressionId b) override;
  Retrieved attend(const lang::Attention& attention, const Terms& score, const std::vector<Bit>& values,
                   const std::string& name) override;
  Retrieved attend_equal(const lang::Attention& attention, const std::vector<Bit>& values,
                         const std::string& name) override;
  ir::NodeId mean(lang::Reach reach, ir::Literal value) override;
  void integer_vector(lang::VectorId id) override;

 private:
  struct Match {
    ir::Literal x, y;
  };
  struct Found {
    ir::HeadId head;
    Bit found;
    bool looked_up = false;  // by position, under no mask: nothing is copied from the neighbour
  };

  // Integers at one position.
  ir::Affine clipped(const ir::Affine& x, const IntegerRange& range);
  bool computable(lang::ExpressionId root);
  void check_computable(lang::ExpressionId root);
  bool by_case(lang::ExpressionId x, lang::ExpressionId values);
  ir::Literal at_least(lang::ExpressionId x, std::int64_t value);
  ir::Literal at_least_by_case(lang::ExpressionId x, lang::ExpressionId values, std::int64_t more);
  std::vector<std::pair<ir::Literal, lang::ExpressionId>> branches(lang::ExpressionId id);
  std::optional<ir::Affine> over_index(lang::ExpressionId root);
  const ir::Affine& number(lang::ExpressionId root);
  ir::Affine stored(lang::ExpressionId root);
  ir::Affine count(lang::Reach reach, ir::Literal p);
  void sum_vector(lang::VectorId id, const lang::SumOver& sum);

  // Attention.
  ir::Literal key(const lang::Attention& attention, ir::Literal p);
  ir::Affine key(const lang::Attention& attention, const ir::Affine& x);
  ir::Head empty_head(const lang::Attention& attention);
  std::vector<Match> matches(const lang::Attention& attention, const Terms& score);
  Bit holds_at(ir::HeadId head, const std::vector<Match>& matches);
  Found find(const lang::Attention& attention, const Terms& score, const std::string& name);
  Found find(const lang::Attention& attention, const std::string& name);
  Found find_position(const lang::Attention& attention, lang::ExpressionId a, const Terms& score,
                      const std::string& name);
  ir::Affine wanted_number(lang::ExpressionId a);
  Retrieved retrieve(const lang::Attention& attention, const Found& found, const std::vector<Bit>& values);
  std::optional<ir::Affine> known(const lang::Attention& attention, const Terms& score, IntegerRange& range);
  ir::Affine integer_attention(const lang::Attention& attention, const std::string& name, IntegerRange& range);

  Numbers numbers_;
  std::vector<std::optional<ir::Affine>> over_index_;  // by vector: over i, where that is known
  std::unordered_map<std::uint32_t, ir::Affine> number_;
};

}  // namespace quench::lower
