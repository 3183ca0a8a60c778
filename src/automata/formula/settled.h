// Which parts of a formula are constant from the next position on, whatever the rest of the word: what allows to forget
// the numbers of a word that is lost or won.
#pragma once

#include <cstdint>
#include <vector>

#include "lang/formula.h"

namespace quench::automata {

enum class Later : std::int8_t { false_, true_, open };

/// By node, from the truth of every node here; `saturated` says of nodes with numbers that these will not change what
/// they say. Nodes that are not in `nodes` are open.
std::vector<Later> settled(const lang::Formula& formula, const std::vector<lang::FormulaId>& nodes,
                           const std::vector<std::uint8_t>& value, const std::vector<bool>& saturated);

}  // namespace quench::automata
