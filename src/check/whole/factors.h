// Scores by key: Σ over a key's cells of (a sum over the query's cells)·cell. What is the same for all keys is left
// out.
#pragma once

#include <map>

#include "check/whole/cells.h"

namespace quench::check {

/// What multiplies one cell of the key: `fixed`, and multiples of cells of the query.
struct Factor {
  Int fixed = 0;
  std::map<std::size_t, Int> by;
  SparseMatrix::Row row;  ///< all of it, as a row over the query
};
using Factors = std::map<std::size_t, Factor>;  ///< by cell of the key

/// One component of queries and of keys.
struct Term {
  std::size_t row;
  Total q, k;
  Int size() const { return size_of(q.bounds.any) * size_of(k.bounds.any); }
  long grid() const { return q.grid + k.grid; }
};
bool adds_up_exactly(const Claim& claim, const std::vector<Term>& terms);

/// fines.cpp: terms that keys pay for, set apart.
struct Merits {
  std::vector<Term> terms;
  Int ahead;  ///< how far who pays nothing is ahead of who pays, in products
};
std::optional<Merits> merits(const Claim& claim, const Cells& cells, const model::Head& head,
                             const std::vector<Term>& terms);

/// All factors are whole multiples of `unit`, by which keys that do not tie are at least apart. Rejects scores that are
/// not exact, but for those of keys that pay fines, and a unit that exp does not make vanish.
Factors score_factors(const Claim& claim, const Cells& cells, const model::Head& head, Int& unit);

}  // namespace quench::check
