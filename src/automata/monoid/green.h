// Green's relations of a transition monoid: which elements can be multiplied into which.
//
//   m R k: m·x = k and k·y = m for some x, y       L: the same on the left       J: on both sides
//   H = R ∩ L; in finite monoids J is D, the join of R and L. The H-class of an idempotent is a maximal subgroup.
#pragma once

#include <vector>

#include "automata/monoid/transition_monoid.h"

namespace quench::automata {

struct Green {
  explicit Green(const TransitionMonoid& monoid);

  std::vector<std::uint32_t> r, l, j, h;  ///< the class of each element
  std::size_t r_classes = 0, l_classes = 0, j_classes = 0, h_classes = 0;
  std::vector<Element> idempotents;             ///< all, in order
  std::vector<Element> idempotent_of_j;         ///< one of each J-class, or kNone where there is none
  std::vector<Element> idempotent_of_h;         ///< the only one, or kNone: then the class is no group
  std::vector<std::vector<Element>> h_members;  ///< of each H-class, in order
  static constexpr Element kNone = UINT32_MAX;

  bool r_trivial() const { return r_classes == r.size(); }
  bool l_trivial() const { return l_classes == l.size(); }
  bool j_trivial() const { return j_classes == j.size(); }
  bool h_trivial() const { return h_classes == h.size(); }
};

}  // namespace quench::automata
