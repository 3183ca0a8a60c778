// Boolean functions as sums of mutually exclusive cubes: the form one feed-forward sublayer can compute.
//
// A cube is a conjunction of literals, one hidden unit (or two, where literals are approximate). If the cubes of f
// exclude each other, f = Σ cubes, or 1 − Σ cubes of ¬f, is linear in the hidden layer. Covers are closed under
// negation (swap) and conjunction:
//   on(g ∧ h) = {c ∧ d : c ∈ on(g), d ∈ on(h)}        off(g ∧ h) = off(g) ∪ {c ∧ d : c ∈ on(g), d ∈ off(h)}
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace quench::opt {

using Cube = std::vector<ir::Literal>;  ///< sorted by node, each node once

/// More cubes than this are not worth one sublayer.
inline constexpr std::size_t kMaxCubes = 8;

struct Cover {
  std::optional<std::vector<Cube>> on, off;  ///< absent: too many cubes

  static Cover of(ir::Literal literal) { return {{{{literal}}}, {{{!literal}}}}; }
  Cover negated() const { return {off, on}; }
};

/// Whether a cube can hold at all; those of which it is known that they cannot are left out.
using Possible = std::function<bool(const Cube&)>;

/// The conjunction of many literals and a few covers. What comes last among the literals stands in one cube of `off`.
Cover conjunction(Cube literals, const std::vector<Cover>& covers, const Possible& possible = {});

}  // namespace quench::opt
