// Comparisons of counts and predicates of counts, on bit planes.
#pragma once

#include <cstdint>
#include <span>

#include "bits/plane.h"
#include "lang/formula.h"

namespace quench::bits {

/// coefficient · (number of positions in scope where `of` holds)
struct CountedPlane {
  std::int64_t coefficient;
  lang::Scope scope;
  const Plane* of;
};

/// The greatest Σ|coefficient| and |constant| that compare() takes at length n.
bool fits(double coefficients, double constant, std::size_t n);

/// out(i) = [Σ counts + constant  relation  0]
void compare(std::span<const CountedPlane> counts, std::int64_t constant, lang::Relation relation, std::size_t n,
             Plane& out);

/// out(i) = [Σ counts + constant lies in the residue class]
void congruent(std::span<const CountedPlane> counts, std::int64_t constant, const ResidueClass& residues, std::size_t n,
               Plane& out);

/// out(i) = holds(count at i), where bit x of `holds` is the predicate of x, 0 ≤ x ≤ n. `out` is not `of`.
void look_up(const Plane& of, lang::Scope scope, const Plane& holds, std::size_t n, Plane& out);

}  // namespace quench::bits
