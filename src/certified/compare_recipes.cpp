#include "certified/compare_recipes.h"

#include <algorithm>

#include "certify/certificate.h"
#include "driver/compile_automaton.h"

namespace quench::certified {
namespace {

RecipeRow row_of(const driver::Compilation& compilation, const std::vector<NumberFormat>& formats) {
  const model::Transformer& model = compilation.model;
  RecipeRow row;
  row.recipe = compilation.recipe->name;
  row.theorem = compilation.recipe->theorem;
  row.layers = model.layers.size();
  row.heads = model.head_count();
  row.width = model.width;
  row.parameters = model.parameter_count();
  for (const model::Layer& layer : model.layers)
    for (const model::Head& head : layer.heads)
      if (std::string name(to_string(head.temperature));
          std::ranges::find(row.temperatures, name) == row.temperatures.end())
        row.temperatures.push_back(std::move(name));
  for (const model::PositionEncoding& encoding : model.position_encodings)
    row.position_encodings.push_back(to_string(encoding.formula));
  for (const NumberFormat format : formats)
    row.lengths.push_back(certify::certify(model, certify::Arithmetic::of(format), certify::Summation::any).length);
  return row;
}

/// Whether the name is at fault, and not what the rule says.
bool no_such_recipe(const DiagnosticError& error) {
  return std::ranges::any_of(error.diagnostics,
                             [](const Diagnostic& found) { return found.code == "E105" || found.code == "E123"; });
}

}  // namespace

std::vector<std::string> recipes_for(const lang::Rule& rule) {
  if (const auto* program = std::get_if<lang::Program>(&rule))
    return program->is_brasp() ? std::vector<std::string>{"brasp", "brasp-b", "exact", "exact-decoder"}
                               : std::vector<std::string>{"srasp", "exact", "exact-decoder"};
  std::vector<std::string> ours, papers;
  for (const lower::Recipe& recipe : lower::recipes()) (recipe.of_the_paper() ? papers : ours).emplace_back(recipe.name);
  if (std::holds_alternative<lang::Automaton>(rule)) ours.emplace_back("scan");
  std::ranges::sort(papers);
  ours.insert(ours.end(), papers.begin(), papers.end());
  return ours;
}

RecipeComparison compare_recipes(const lang::Rule& rule, const std::vector<std::string>& recipes,
                                 const std::vector<NumberFormat>& formats, const automata::Limits& limits) {
  RecipeComparison comparison;
  const driver::RuleCompiler compile(rule, {limits, formats.empty() ? NumberFormat::f32 : formats.front()});
  for (const std::string& recipe : recipes) {
    lower::RecipeOptions options;
    options.recipe = recipe;
    try {
      comparison.rows.push_back(row_of(compile(options), formats));
    } catch (const DiagnosticError& error) {
      if (no_such_recipe(error)) throw;
      comparison.uncovered.push_back({recipe, error.what()});
    }
  }
  return comparison;
}

}  // namespace quench::certified
