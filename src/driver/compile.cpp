#include "driver/compile.h"

#include "automata/rule/read_rule.h"
#include "base/overloaded.h"
#include "build/build.h"
#include "lang/canonical.h"
#include "lang/print/print.h"
#include "lang/print/print_program.h"
#include "lang/sharing.h"
#include "lower/fragment.h"
#include "lower/lower.h"
#include "lower/program/brasp.h"
#include "lower/program/exact/exact_program.h"
#include "lower/program/srasp/srasp.h"
#include "opt/simplify.h"
#include "parse/parse_formula.h"
#include "parse/parse_program.h"

namespace quench::driver {
namespace {

/// What is the same for every kind of rule.
Compilation finish(const lower::Recipe& recipe, const ir::Graph& lowered, const lower::RecipeOptions& options) {
  Compilation c;
  c.recipe = &recipe;
  c.graph = opt::simplify(lowered);
  c.schedule = opt::schedule(c.graph);
  c.layout = opt::allocate(c.graph, c.schedule, options.unshared);
  c.model = build::build(c.graph, c.schedule, c.layout);
  c.model.recipe = recipe.name;
  return c;
}

}  // namespace

lang::Formula parse(std::string_view text) {
  parse::ParsedFormula parsed = parse::parse_formula(text);
  if (!parsed.formula) throw DiagnosticError(std::move(parsed.diagnostics));
  return std::move(*parsed.formula);
}

lang::Program parse_program(std::string_view text) {
  parse::ParsedProgram parsed = parse::parse_program(text);
  if (!parsed.program) throw DiagnosticError(std::move(parsed.diagnostics));
  return std::move(*parsed.program);
}

lang::Rule parse_rule(std::string_view text, std::string_view file_name, const automata::Limits& limits) {
  if (const auto kind = automata::kind_of_file(file_name)) return automata::read_rule(text, *kind, limits);
  if (automata::describes_automaton(text)) return automata::read_description(text, limits);
  const bool program = file_name.ends_with(".brasp") || file_name.ends_with(".srasp") ||
                       (!file_name.ends_with(".tl") && parse::looks_like_program(text));
  if (program) return parse_program(text);
  return parse(text);
}

Compilation compile(const lang::Formula& rule, const lower::RecipeOptions& options) {
  lang::Formula formula = lang::canonical(rule);  // so that the source below compiles to these bytes
  const lower::Recipe& recipe = lower::choose_recipe(formula, options);
  formula.names = lang::names_for_labels(formula);
  Compilation c = finish(recipe, lower::lower(formula, recipe, lower::tuning(recipe, options)), options);
  c.model.source = lang::print(formula);
  c.model.logic = lower::fragment_of(formula).logic();
  return c;
}

Compilation compile(const lang::Program& rule, const lower::RecipeOptions& options) {
  const lang::Program program = lang::canonical(rule);
  const bool brasp = program.is_brasp();
  const lower::Recipe* exact = lower::exact_program_recipe(options);
  const lower::Recipe& recipe = exact   ? *exact
                                : brasp ? lower::choose_brasp_recipe(options)
                                        : lower::choose_srasp_recipe(options);
  const lower::Tuning tuning = lower::tuning(recipe, options);
  const auto lower = brasp ? lower::lower_brasp : lower::lower_srasp;
  Compilation c =
      finish(recipe, exact ? lower::lower_exact_program(program, recipe, tuning) : lower(program, recipe, tuning.gamma),
             options);
  c.model.source = lang::print(program);
  c.model.logic = brasp ? "B-RASP" : "S-RASP";
  return c;
}

Compilation compile(const lang::Dfa& dfa, const lower::RecipeOptions& options, const lower::ScanLimits& limits) {
  const lower::Recipe& recipe = lower::choose_scan_recipe(options);
  Compilation c = finish(recipe, lower::lower_scan(dfa, recipe, lower::tuning(recipe, options), limits), options);
  c.model.logic = "regular";
  return c;
}

Compilation compile(const lang::Rule& rule, const lower::RecipeOptions& options, const RegularOptions& regular) {
  return std::visit(Overloaded{[&](const lang::Automaton& automaton) { return compile(automaton, options, regular); },
                               [&](const auto& r) { return compile(r, options); }},
                    rule);
}

}  // namespace quench::driver
