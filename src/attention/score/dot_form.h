// Scores that are dot products once queries and keys have been mapped: what lets them take the tiled kernel.
//   dot: itself · scaled dot: times 1/√d_k · general: (Wᵀq)·k · cosine: scale·(q/|q|)·(k/|k|) · additive: no such form
#pragma once

#include "attention/rows.h"
#include "attention/score/score.h"
#include "base/number/matrix.h"

namespace quench::attention {

bool has_dot_form(const Score& score);

class DotForm {
 public:
  /// Throws UserError if the widths do not fit.
  DotForm(const Score& score, Rows<const double> q, Rows<const double> k);

  Rows<const double> q() const { return q_; }
  Rows<const double> k() const { return k_; }
  double scale() const { return scale_; }

  /// From gradients to q() and k() (given, and overwritten with those to the original queries and keys) to the score's
  /// parameters (added to d_score).
  void pull_back(Matrix& d_q, Matrix& d_k, Score& d_score) const;

 private:
  const Score& score_;
  Rows<const double> original_q_;
  Matrix mapped_q_, mapped_k_;  // empty where the original serves
  std::vector<double> q_norms_, k_norms_;
  Rows<const double> q_, k_;
  double scale_ = 1;
};

}  // namespace quench::attention
