#include "lower/program/exact/exact_program.h"

#include "lower/exact/options.h"

namespace quench::lower {

using namespace lang;

const Recipe* exact_program_recipe(const RecipeOptions& options) {
  const bool wanted = options.recipe == "exact" || options.recipe == "exact-decoder";
  const bool only_choice = options.recipe == "auto" && options.decoder;  // the others need i/n, which no decoder knows
  if (!wanted && !only_choice) return nullptr;
  const Recipe* recipe = find_recipe(options.decoder ? "exact-decoder" : options.recipe);
  check_exact_options(*recipe, options);
  return recipe;
}

ir::Graph lower_exact_program(const Program& program, const Recipe& recipe, const Tuning& tuning) {
  ir::Graph graph = ExactProgram(program, recipe, tuning).lower();
  ir::check(graph);
  return graph;
}

ExactProgram::ExactProgram(const Program& program, const Recipe& recipe, const Tuning& tuning)
    : IntegerElaboration(program), recipe_(recipe), build_(graph_, recipe, tuning) {
  graph_.joins_comparisons = true;
}

ir::Graph ExactProgram::lower() {
  run();
  if (program_.output_sort() == Sort::score) {
    set_ratios();
    return std::move(graph_);
  }
  if (program_.output_sort() != Sort::integer) {
    set_output();
    return std::move(graph_);
  }
  graph_.number = graph_.whole = true;
  const ir::Affine& value = *integers_[program_.output.index];
  const bool node =
      value.terms.size() == 1 && value == ir::Affine(value.terms[0].node) && !graph_.boolean(value.terms[0].node);
  const double most = build_.assured_length() + 1;
  graph_.output = {node ? value.terms[0].node : graph_.add(ir::Piecewise{{{value, 1}}, {}, 0, most}, "output"), false};
  return std::move(graph_);
}

}  // namespace quench::lower
