#include "build/row.h"

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "opt/schedule.h"

namespace quench::build {

std::size_t Place::coordinate(ir::NodeId node) const {
  QUENCH_ASSERT(layout.coordinate[node.index] >= 0);
  return static_cast<std::size_t>(layout.coordinate[node.index]);
}

double Place::add_terms(SparseMatrix& matrix, std::size_t row, const ir::Affine& affine, double factor) const {
  const ir::Affine stored = opt::stored_form(graph, affine);
  std::vector<ir::NodeId> added;  // in the coordinates of other terms already
  for (const ir::Affine::Term& term : stored.terms)
    if (const std::optional<opt::Carry>& carry = layout.carries[term.node.index])
      for (const ir::Affine::Term& part : carry->content.terms)
        if (part.node != term.node) added.push_back(part.node);
  for (const ir::Affine::Term& term : stored.terms)
    if (std::ranges::find(added, term.node) == added.end())
      matrix.add(row, coordinate(term.node), factor * term.coefficient);
  return factor * stored.constant;
}

void Place::add(SparseMatrix& matrix, std::size_t row, const ir::Affine& affine, double factor) const {
  matrix.add(row, 0, add_terms(matrix, row, affine, factor));
}

}  // namespace quench::build
