// What the sublayers of a stock decoder see of the residual stream through pinned layer normalisation, derived again:
// [Q-pins] in docs/theory-pins.md. Nothing here is shared with src/certify.
#pragma once

#include "check/facts.h"
#include "check/whole/cells.h"

namespace quench::check {

/// Bounds at one kind of position.
struct Blur {
  Number stretch;  ///< η and what reading rounds, relative to what is read
  Number haze;     ///< and besides
  Number reading;  ///< the part of `stretch` that readers do not share
};

class Lens {
 public:
  Lens(const Claim& claim, const Facts& embedded);

  /// What readers of at most `terms` coordinates see.
  Facts through(const Facts& facts, std::size_t terms) const;
  Blur blur(const std::vector<Fact>& facts, std::size_t terms, int kind) const;
  void after_heads(const Facts& facts, const model::Layer& layer);
  void after_units(const Facts& facts, const Facts& seen, const model::FeedForward& ffn);
  /// Every answer's logit wins; `facts` is what is stored.
  void need_labels(const Facts& facts) const;

 private:
  const Claim& claim_;
  Number u_;
  std::array<Number, kKinds> drift_;  ///< |Σ data|
};

std::size_t most_terms(const model::Layer& layer);
std::size_t most_terms(const SparseMatrix& matrix);

/// In whole numbers, for sums in any order: normalising changes no bit. Each throws Rejected.
void need_identity(const Claim& claim, const Cells& cells);
void need_exact_balance(const Claim& claim, const Cells& cells, const model::Layer& layer);
void need_exact_balance(const Claim& claim, const Cells& cells, const model::FeedForward& ffn);

}  // namespace quench::check
