// The product of group elements over the positions so far, by counts modulo prime powers, for a solvable group.
//
// G = G_0 > G_1 > … > 1 is the derived series, r_t a choice of one element of G_t for each class of G_t/G_{t+1}, r_t of
// the class 1 being 1. Let y_0(j) be the element at position j, and
//
//   c_t(i)     = Σ_{j ≤ i} [y_t(j)] in the abelian group G_t/G_{t+1}: sums modulo prime powers
//   y_{t+1}(j) = r_t(c_t(j) − [y_t(j)]) · y_t(j) · r_t(c_t(j))⁻¹, which lies in G_{t+1}.
//
// The products of y_{t+1} telescope: y_t(1)…y_t(i) = y_{t+1}(1)…y_{t+1}(i) · r_t(c_t(i)). So y_0(1)…y_0(i) is E(i) =
// r_{d−1}(c_{d−1}(i)) … r_0(c_0(i)). The same from j + 1 on: E(j)⁻¹E(i) = y_0(j+1)…y_0(i) whatever the y were before.
#pragma once

#include <map>
#include <vector>

#include "automata/monoid/permutation_group.h"
#include "automata/translate/decompose/cover.h"

namespace quench::automata {

struct GroupWord {
  /// Sums modulo prime powers, which together say what E is. Their values are those at the position itself.
  std::vector<Feature> coordinates;
  /// The coordinates of every element E, by the number of the element in the group.
  std::vector<Point> of_element;
};

/// `elements`: a formula for each element but the identity that positions can have; never two at once. Throws UserError
/// if the group is not solvable.
GroupWord group_word(Logic& logic, const PermutationGroup& group,
                     const std::map<Permutation, lang::FormulaId>& elements, const Limits& limits, Budget& budget);

}  // namespace quench::automata
