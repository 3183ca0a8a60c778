// Integers in a transformer: x is stored as x/n. What attention can do with them; every head here has a unique maximum
// or is uniform, so the hard-attention network is uniform-tieless, and its gap is at least 1/(2n³).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.h"
#include "lang/program.h"
#include "lower/recipe.h"

namespace quench::lower {

class Numbers {
 public:
  /// Scores carry the factor `sharpness`; the temperature supplies n³ ln(n+1).
  Numbers(ir::Graph& graph, const Recipe& recipe, double sharpness)
      : graph_(graph), recipe_(recipe), sharpness_(sharpness) {}

  ir::Affine position() { return place(PositionFormula::Kind::index_over_length); }             ///< i/n
  ir::Affine position_squared() { return place(PositionFormula::Kind::index_over_length_sq); }  ///< (i/n)²
  ir::Affine inverse_index() { return place(PositionFormula::Kind::inverse_index); }            ///< 1/i
  ir::Literal first();                                                                          ///< i = 1
  ir::Literal position_from(std::int64_t v);                                                    ///< i ≥ v
  ir::Literal last();                                                                           ///< i = n
  ir::Affine one();                                                                             ///< 1/n: the integer 1
  ir::Affine one_squared();                                                                     ///< 1/n²

  /// A head of the family: sharp, unmasked unless said otherwise.
  ir::Head head(Mask mask, HeadStructure structure) const;
  ir::HeadId uniform(Mask mask);
  /// The Boolean that a head retrieves.
  ir::Literal retrieve(ir::HeadId head, ir::Literal value);
  ir::NodeId retrieve(ir::HeadId head, const ir::Affine& value) { return graph_.add(ir::Attend{head, value}); }

  /// x > 0, for an x that is never within 1/(2n²) of 0 (and a half-integer where n = 1).
  ir::Literal positive(const ir::Affine& x, const std::string& label = {});
  ir::Literal at_least_zero(const ir::Affine& x) { return positive(x + 0.5 * one()); }  ///< of an integer
  /// The same of an integer that is given as x/i.
  ir::Literal at_least_zero_over_i(const ir::Affine& x) { return positive(x + 0.5 * inverse_index()); }
  /// The head that finds position c, or the nearest end.
  ir::HeadId lookup(const ir::Affine& c, const std::string& name);
  /// (x/n)² of a stored integer 0 … n+1; `least`, `most`: x is never 0, never n+1.
  ir::Affine square(const ir::Affine& x, bool never_zero, bool never_beyond);
  /// How many positions up to i satisfy p.
  ir::Affine count(ir::Literal p);
  /// Σ v(j) over the positions within reach, clipped to 0 … n+1.
  ir::NodeId sum(lang::Reach reach, const ir::Affine& v);
  /// A Boolean as an integer.
  ir::NodeId integer(ir::Literal p);
  /// A Boolean over i.
  ir::NodeId over_index(ir::Literal p);
  /// The value whose condition holds; of the conditions exactly one does.
  ir::NodeId choose(const std::vector<std::pair<ir::Literal, ir::Affine>>& branches);
  /// Clipped to 0 … n+1.
  ir::NodeId clip(const ir::Affine& x);
  /// Clipped to −1 … n+2: what lies outside of 0 … n+1 still does.
  ir::NodeId clip_outside(const ir::Affine& x);
  /// p ∧ (there is a position before / after), at the position before / after.
  ir::Literal shifted(bool before, ir::Literal p);
  ir::Affine shifted(bool before, const ir::Affine& x);

  double sharpness() const { return sharpness_; }
  double magnitude(const ir::Affine& x) const;  ///< |x| is at most this

 private:
  /// The mask of a uniform head over m positions, with 1/m and 1/(mn).
  struct Reached {
    Mask mask;
    ir::Affine inverse, unit;
  };

  Reached reached(lang::Reach reach);
  ir::Affine place(PositionFormula::Kind kind);
  ir::HeadId first_head();

  ir::Graph& graph_;
  const Recipe& recipe_;
  double sharpness_;
};

}  // namespace quench::lower
