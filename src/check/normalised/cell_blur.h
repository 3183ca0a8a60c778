// Cells behind layer normalisation that changes bits: how far the computed numbers can be from the whole ones.
// docs/theory-pins.md; nothing here is shared with src/certify.
#pragma once

#include <optional>

#include "check/normalised/lens.h"

namespace quench::check {

class CellBlur {
 public:
  CellBlur(const Claim& claim, const Cells& cells);

  /// `before` and `after` are the cells around the sublayer, `lines` those of its heads.
  void pass_heads(const Cells& before, const Cells& after, const model::Layer& layer, const Line* lines);
  void pass_units(const Cells& before, const Cells& after, const model::FeedForward& ffn);
  void need_labels() const { lens_.need_labels(everywhere_); }

 private:
  Number seen_error(const Facts& seen, const SparseMatrix::Row& row) const;
  void move_to(const Cells& cells);
  std::vector<Fact>& facts() { return everywhere_[0]; }
  void spread();

  const Claim& claim_;
  Facts everywhere_;  ///< the same at every kind of position
  Lens lens_;
  Number u_, n_;
};

/// What layer normalisation asks of every sublayer, if there is one: that it changes no bit, or how much it blurs.
class CellNorm {
 public:
  CellNorm(const Claim& claim, const Cells& cells);
  void before_heads(const Cells& cells, const model::Layer& layer);
  void after_heads(const Cells& cells, const model::Layer& layer, const std::vector<Line>& lines);
  void after_units(const Cells& cells, const model::FeedForward& ffn);
  void need_outputs(const Cells& cells) const;
  bool changes_bits() const { return blur_.has_value(); }

 private:
  bool exact() const { return claim_.pinned && !blur_; }

  const Claim& claim_;
  std::optional<CellBlur> blur_;
  Cells before_;  ///< the sublayer
};

}  // namespace quench::check
