// Comparisons of whole numbers joined with Booleans in the sublayer that makes them. [Q-cmp]
//
//   p = Σ f·ReLU(x) and Booleans b_1 … b_m:   p ∧ b_1 ∧ … ∧ b_m = Σ f·ReLU(x − K·(how many b are false)),   K ≥ x
// since one Boolean that is false empties every unit, and none changes nothing. So a comparison need not be stored before
// it is combined, which saves a layer.
#pragma once

#include <optional>
#include <vector>

#include "ir/graph.h"
#include "opt/cover.h"

namespace quench::opt {

/// Whether a literal is a comparison that can be joined with others where it is made.
bool is_comparison(const ir::Graph& graph, ir::NodeId id);

/// The units of the comparison joined with the others. None if it is negated and its negation is no comparison, or if
/// numbers would become too great for float32.
std::optional<std::vector<ir::Piecewise::Unit>> joined(const ir::Graph& graph, ir::Literal comparison,
                                                       const std::vector<ir::Literal>& others);

/// Whether some symbol passes all tests of the symbol in the cube.
bool has_symbol(const ir::Graph& graph, const Cube& cube);
/// The cubes, which exclude each other, without tests of the symbol that others imply. A test stays if without it two
/// cubes would have no literal that one of them negates: that is how proofs see that they exclude each other.
std::vector<Cube> without_idle_tests(const ir::Graph& graph, std::vector<Cube> cubes);

}  // namespace quench::opt
