// One summand of a function that a feed-forward sublayer computes: a conjunction of exact Booleans (one hidden unit) or
// a ramp (two).
#pragma once

#include <array>
#include <vector>

#include "certify/proof.h"

namespace quench::certify {

struct Cube {
  const SparseMatrix::Row* row = nullptr;
  double from = 0;    ///< it is off where Σ w·x ≤ from
  double to = 0;      ///< a ramp is on where Σ w·x ≥ to
  double factor = 0;  ///< it contributes factor · (0 or 1, or the unit's value)
  bool is_ramp = false;
  std::array<Interval, kClasses> on;  ///< ideal values, integers
  std::array<double, kClasses> most;  ///< greatest ideal Σ w·x
  Upper error;
  double greatest = 1;  ///< of the values passed through on the way
  int origin = -1;
};

Cube make_unit(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias, double weight);
/// weight·(ReLU(row + bias1) − ReLU(row + bias2)). Throws NotProved if an ideal value, widened by its error, can fall
/// between the thresholds.
Cube make_ramp(const Setting& setting, const State& state, const SparseMatrix::Row& row, double bias1, double bias2,
               double weight);

/// b2 + Σ factor·cube at positions of one class, as a function of the coordinates that are not fixed there; none if
/// there are too many of them, or they are not Boolean.
std::optional<LocalFunction> local_function(const State& state, const std::vector<Cube>& cubes, double b2,
                                            std::size_t position_class);

/// Whether at most one of the cubes can be on at a position of the class: every two need a coordinate to be at opposite
/// ends, or are the same sum with opposite signs and thresholds that do not overlap.
bool mutually_exclusive(const State& state, const std::vector<Cube>& cubes, std::size_t position_class);

}  // namespace quench::certify
