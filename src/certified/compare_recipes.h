// One rule by several recipes: what each makes of it, and up to which length that is certified in any engine.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "automata/limits.h"
#include "base/number/number_format.h"
#include "lang/rule.h"
#include "model/transformer.h"

namespace quench::certified {

struct RecipeRow {
  std::string recipe, theorem;
  std::size_t layers = 0, heads = 0, width = 0, parameters = 0;
  std::vector<std::string> temperatures;  ///< of the heads, each once
  std::vector<std::string> position_encodings;
  std::vector<std::uint64_t> lengths;  ///< format by format; model::kLongest is no limit
};

/// A recipe that makes nothing of the rule.
struct Uncovered {
  std::string recipe, reason;
};

struct RecipeComparison {
  std::vector<RecipeRow> rows;
  std::vector<Uncovered> uncovered;
};

/// The recipes that a rule of this kind may have: ours first, then the paper's by name; of programs, those of their
/// class.
std::vector<std::string> recipes_for(const lang::Rule& rule);

/// Compiles the rule by each recipe; an automaton by the formula whose network is certified furthest in the first format.
/// Throws DiagnosticError (E105, E123) if there is no recipe of such a name for rules
/// of this kind.
RecipeComparison compare_recipes(const lang::Rule& rule, const std::vector<std::string>& recipes,
                                 const std::vector<NumberFormat>& formats, const automata::Limits& limits = {});

}  // namespace quench::certified
