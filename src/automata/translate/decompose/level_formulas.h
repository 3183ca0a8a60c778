// One level of a decomposition: what letters do to its label, as a table, and the label as formulas.
#pragma once

#include <map>
#include <vector>

#include "automata/translate/decompose/cover.h"
#include "automata/translate/decompose/holonomy.h"

namespace quench::automata {

/// Actions by what they depend on.
using ActionTable = std::map<Point, Holonomy::Action>;

/// For each label, the formula that the label is this one after the position's letter. `initial`: the label before the
/// first position, or −1 if it is not read.
std::vector<lang::FormulaId> level_formulas(Logic& logic, const std::vector<Feature>& features,
                                            const ActionTable& table, std::size_t labels, std::int16_t initial,
                                            const Limits& limits, Budget& budget);

}  // namespace quench::automata
