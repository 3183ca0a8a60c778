// Our constructions: one head per neighbour, sums of counts compared by the sign of their mean, scores that are exact
// in floating point. Three flavours: temperature (τ = 1/N, N the power of two at or above n), position (τ = 1), decoder
// (τ = 1, future-masked, nothing depends on n). Proofs: docs/theory-tight.md. Files: tight.cpp (what they share),
// previous.cpp (⊖ ⊕), since.cpp, any_position.cpp (existence), sign.cpp (comparisons), sink.cpp (both directions
// over one denominator), lookup.cpp (θ of a count).
#pragma once

#include "lower/constructions.h"

namespace quench::lower {

class TightConstructions final : public Constructions {
 public:
  TightConstructions(ir::Graph& graph, const Recipe& recipe, const Tuning& tuning);

  ir::Literal neighbour(Direction direction, ir::Literal phi, const std::string& label) override;
  ir::Literal nearest(Direction direction, ir::Literal selected, ir::Literal value, const std::string& label) override;
  double double_length(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign) const override;
  ir::Literal linear(const std::vector<WeightedCount>& counts, Int128 constant, Sign sign,
                     const std::string& label) override;
  ir::Literal predicate_of(const Predicate& theta, lang::Scope scope, ir::Literal of,
                           const std::string& label) override;

 private:
  using Products = std::vector<ir::Head::Product>;

  // tight.cpp
  ir::Head head(Mask mask, Weighting intended, HeadStructure structure, Lemma lemma) const;
  void add_index(Products& score, double gamma);   ///< γ·j, after division by τ
  ir::Head::Product times_length(ir::Affine key);  ///< key·n (decoder: key·i), or more, after division by τ
  ir::Literal first();                             ///< i = 1
  ir::Literal last();                              ///< i = n

  // any_position.cpp
  ir::Literal any(lang::Scope scope, ir::Literal of, const std::string& label);
  ir::Literal any_of(const std::vector<WeightedCount>& counts, const std::string& label);

  // sign.cpp
  /// Σ c_k κ_k / m, for some m that is the same for all of the counts.
  struct Mean {
    ir::Affine sum;
    ir::Affine reciprocal;  ///< 1/m
    ir::Affine alone;       ///< 1 where the sign head sees one position, at most ½ elsewhere
    Mask mask;              ///< of the sign head
  };
  Mean mean_of(const std::vector<WeightedCount>& counts, const std::string& label);
  ir::Affine sign_of(const Mean& mean, const ir::Affine& r, const std::string& label);
  double sign_error() const;

  // sink.cpp
  Mean mixed_mean(const std::vector<WeightedCount>& counts, const std::string& label);
  ir::HeadId sink(Direction direction);

  double gamma_;  ///< a power of two
  bool digits_;
};

}  // namespace quench::lower
