// What a stream knows of residual coordinates from the weights alone, before any token.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "run/reference/plan.h"

namespace quench::run {

class StaticFacts {
 public:
  explicit StaticFacts(const ReferencePlan& plan);
  /// Nothing is known of what the layer writes.
  void written_by(const LayerPlan& layer);

  /// The same number at every position of every word.
  bool constant(const FlatRows& rows, const FlatRows::Row& row) const;
  /// A sum of terms none of which is negative or can fall from one position to the next.
  bool rising(const FlatRows& rows) const;

  /// What the row is where a bit of i − 1 is 0 and where it is 1.
  struct ByBit {
    int bit;
    double at_0, at_1;
  };
  /// If it depends on one bit alone, as far as position encodings have been tried: a guess.
  std::optional<ByBit> by_bit(const FlatRows& rows, const FlatRows::Row& row) const;

 private:
  void forget(std::uint32_t coordinate);

  std::vector<bool> constant_, rising_;
  std::vector<std::optional<int>> bit_;  ///< which bit of i − 1 it is
  std::vector<double> first_;            ///< what the first symbol embeds as; of constant coordinates, what all do
};

}  // namespace quench::run
