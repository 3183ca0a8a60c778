// Which shared subformulas deserve a name when a formula is written as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lang/formula.h"
#include "lang/print/writer.h"

namespace quench::lang {

/// One named node and the place of its definition.
struct Named {
  bool is_term;
  std::uint32_t id;
};

struct Sharing {
  Names names;
  std::vector<Named> order;  ///< each after those it needs
};

/// No names if the formula written out is not much longer than its nodes; otherwise a name for everything that is used
/// more than once: `<formula_prefix>1` and so on, `<term_prefix>1` and so on, none of them a predicate's.
Sharing choose_names(const Formula& formula, const std::string& formula_prefix, const std::string& term_prefix);

/// The predicates that the root depends on.
std::vector<PredicateId> used_predicates(const Formula& formula);

}  // namespace quench::lang
