// Writing an affine form of IR nodes as a row of weights over residual coordinates.
#pragma once

#include "base/number/matrix.h"
#include "ir/graph.h"
#include "opt/allocate.h"

namespace quench::build {

/// Where the values of a graph live.
struct Place {
  const ir::Graph& graph;
  const opt::Layout& layout;

  std::size_t coordinate(ir::NodeId node) const;
  /// Adds factor · (the terms of `affine`) to a row; returns factor · its constant.
  double add_terms(SparseMatrix& matrix, std::size_t row, const ir::Affine& affine, double factor = 1) const;
  /// The same, with the constant read off the coordinate that is always 1.
  void add(SparseMatrix& matrix, std::size_t row, const ir::Affine& affine, double factor = 1) const;
};

}  // namespace quench::build
