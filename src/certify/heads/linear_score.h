// The scores of our constructions, recognised from the weights: after division by √d_k and τ
//
//   score_ij = level·m·S_j + parity·p·(−1)^{i+j} + index·j,      m ∈ {N, n, i},  p ∈ {N, 1},  S_j of two levels one
//   apart,
//
// and computed without rounding ([Q-dyadic], [Q-digits]): every product is a multiple of some 2^g, and all products of
// a row together stay below 2^{p+g}, so that sums in any order are exact. Only m may be inexact (a half format rounds n
// and i, to whole numbers): then the computed score is that of m°, |m° − m| ≤ ρm, exactly.
//
// What layer normalisation makes of the coordinates is off the grid: then scores have an error E, from those of queries
// and keys and (k + 2)u times the sum of the k products' magnitudes.
#pragma once

#include "certify/heads/heads.h"

namespace quench::certify {

/// What grows with the word in front of a key.
enum class Growth : std::uint8_t { constant, index, length, power };  // 1, i, n, N

struct LinearScore {
  double index = 0;  ///< coefficient of j; any sign
  double level = 0;  ///< ≥ 0; 0: no such part
  Growth level_growth = Growth::constant;
  Upper level_inexact;       ///< ρ
  SparseMatrix::Row levels;  ///< S_j and a constant, before scaling: key entries divided by `level_weight`
  double level_weight = 0;   ///< what S_j is multiplied by in the key
  double parity = 0;         ///< coefficient of (−1)^{i+j}
  Growth parity_growth = Growth::constant;
  Upper error;  ///< of a computed score; 0 but for layer normalisation
};

/// ±2^k. A product with it is not rounded.
bool is_power_of_two(double w);

/// Throws NotProved if the scores do not have that form, or are not exact at this length.
LinearScore linear_score(const Setting& setting, const State& state, const StoredHead& head);

/// σ if the value is σ(−1)^i, else 0.
double alternation(const Setting& setting, const Value& value);

}  // namespace quench::certify
