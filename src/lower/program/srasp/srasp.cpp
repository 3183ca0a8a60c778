#include "lower/program/srasp/srasp.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/diagnostic.h"
#include "lower/gamma.h"
#include "lower/program/sharpness.h"
#include "lower/program/srasp/srasp_lowering.h"

namespace quench::lower {

const Recipe& choose_srasp_recipe(const RecipeOptions& options) {
  static const Recipe recipe{"srasp",
                             "S-RASP as a uniform-tieless AHAT, Theorem 26 [Q-srasp]",
                             {},
                             Temperature::inverse_n_cubed_log,
                             {PositionFormula::Kind::index_over_length, PositionFormula::Kind::index_over_length_sq,
                              PositionFormula::Kind::inverse_index},
                             TieBreak::none,
                             false,
                             false};
  const auto fail = [](const char* code, std::string message, std::string note) {
    throw DiagnosticError({Diagnostic{code, std::move(message), {}, {std::move(note)}}});
  };
  check_gamma(options);
  const bool known = options.recipe == "auto" || options.recipe == "paper" || options.recipe == "tight" ||
                     options.recipe == recipe.name;
  if (!known) refuse_recipe(options.recipe, "S-RASP", {recipe.name, "exact", "exact-decoder"});
  if (options.length) fail("E102", "recipe srasp serves every length", "leave out --length, or choose --recipe exact");
  if (options.decoder || options.sharpen == Sharpen::position)
    fail("E123", "a program of S-RASP is sharpened by temperature, and is no decoder",
         "leave out --decoder and --sharpen, or choose --recipe exact");
  return recipe;
}

ir::Graph lower_srasp(const lang::Program& program, const Recipe& recipe, double gamma) {
  constexpr double kPerGamma = 16.0 / 3;  // γ = 3 gives c = 16, which is never enough for a proof
  const double sufficient = sufficient_sharpness(SraspLowering(program, recipe, 1).lower());
  ir::Graph graph = SraspLowering(program, recipe, std::max(kPerGamma * gamma, sufficient)).lower();
  ir::check(graph);
  return graph;
}

}  // namespace quench::lower
