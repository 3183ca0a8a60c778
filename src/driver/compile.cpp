#include "driver/compile.h"

#include "build/build.h"
#include "lang/print.h"
#include "lower/fragment.h"
#include "lower/lower.h"
#include "opt/simplify.h"
#include "parse/parse_formula.h"

namespace quench::driver {

lang::Formula parse(std::string_view text) {
  parse::ParsedFormula parsed = parse::parse_formula(text);
  if (!parsed.formula) throw DiagnosticError(std::move(parsed.diagnostics));
  return std::move(*parsed.formula);
}

Compilation compile(const lang::Formula& formula, const lower::RecipeOptions& options) {
  Compilation c;
  c.recipe = &lower::choose_recipe(formula, options);
  c.graph = opt::simplify(lower::lower(formula, *c.recipe, lower::tuning(*c.recipe, options)));
  c.schedule = opt::schedule(c.graph);
  c.layout = opt::allocate(c.graph, c.schedule);
  c.model = build::build(c.graph, c.schedule, c.layout);
  c.model.source = lang::print(formula);
  c.model.recipe = c.recipe->name;
  c.model.logic = lower::fragment_of(formula).logic();
  return c;
}

}  // namespace quench::driver
