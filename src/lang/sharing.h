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

/// The names that the text gave, if they are needed; and if the formula written out with them is much longer than its
/// nodes, a name for everything that is used more than once: `f1` and so on for formulas, `t1` and so on for
/// terms, none of them taken.
Sharing choose_names(const Formula& formula);

/// A part of a rule whose text is longer has a name: heads and coordinates are called after parts, and their names are
/// never cut. The more parts there are, the shorter, so that the names of a large rule are not much longer than itself.
std::size_t longest_label(const Formula& formula);

/// Those of choose_names, and `f1` and so on for formulas whose text, with these names, is longer than longest_label.
/// With these names in its text a rule needs no others.
Names names_for_labels(Formula formula);

/// The predicates that the root depends on.
std::vector<PredicateId> used_predicates(const Formula& formula);

}  // namespace quench::lang
