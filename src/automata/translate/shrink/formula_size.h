// What a formula costs a network, about.
#pragma once

#include <cstddef>
#include <vector>

#include "lang/formula.h"

namespace quench::automata {

/// How deep heads are nested, how many there are, how many values they retrieve, and how many nodes. A temporal
/// operator is a head, all `prev` of one depth together one; a comparison or a predicate of counts is a mean and a head
/// on it, and each count of a predicate has one more that knows zero.
struct FormulaSize {
  std::size_t depth = 0, heads = 0, values = 0, nodes = 0;
  friend auto operator<=>(const FormulaSize&, const FormulaSize&) = default;
};
FormulaSize size_of(const lang::Formula& formula);

/// Of every node: the depth alone.
std::vector<std::size_t> depths(const lang::Formula& formula);

}  // namespace quench::automata
