// A program with or without [Q-penalty] in its matches of integers, whatever the length.
#pragma once

#include "build/build.h"
#include "driver/compile.h"
#include "lang/canonical.h"
#include "lower/program/exact/exact_program.h"
#include "opt/simplify.h"

namespace quench::test {

inline model::Transformer penalised(const lang::Program& rule, std::size_t length, bool decoder = false,
                                    bool penalties = true) {
  const lang::Program program = lang::canonical(rule);
  lower::RecipeOptions options;
  options.recipe = decoder ? "exact-decoder" : "exact";
  options.length = length;
  const lower::Recipe& recipe = *lower::exact_program_recipe(options);
  lower::ExactProgram lowering(program, recipe, lower::tuning(recipe, options));
  lowering.constructions().use_penalties(penalties);
  const ir::Graph graph = opt::simplify(lowering.lower());
  const opt::Schedule schedule = opt::schedule(graph);
  return build::build(graph, schedule, opt::allocate(graph, schedule));
}

}  // namespace quench::test
