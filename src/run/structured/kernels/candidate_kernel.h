// The vector loop of methods/candidates/candidates.h.
#pragma once

#include <cstddef>

#include "run/structured/kernels/scan_kernel.h"

namespace quench::run {

/// With more keys than this in the race there are ways that are faster.
inline constexpr std::size_t kMostCompeting = 40;

struct CompetingKey {
  double kappa = 0, count = 0, sum = 0;
};

/// The keys of one word that count at its next position.
struct CompetingKeys {
  double max = kNoMax;  ///< of all keys so far
  std::size_t size = 0;
  CompetingKey keys[kMostCompeting];
};

/// Positions of one run at most.
inline constexpr std::size_t kCandidateStretch = 504;

/// Consecutive positions of one word, in the order of the scan; L is what the lanes compute in. All planes have room
/// for kLanes positions after the last, and t has what came before the first.
template <class T, class L>
struct CandidateRows {
  std::size_t size = 0;
  bool strict = false;
  const L* t = nullptr;  ///< for L = float with |q_0|·log₂e in it: weights are 2^{t·(κ − M)}
  const double* kappa = nullptr;
  const T* key = nullptr;  ///< κ, if the format holds it
  double factor = 1;       ///< of κ; for L = float its sign
  double unit = 1;         ///< of κ in the lanes: that of CompetingKeys is unit·κ
  const T* v = nullptr;
  T* out = nullptr;
  double cutoff = 0;       ///< of t·(M − κ)
  double near_cutoff = 0;  ///< may be less, if sixteen keys of this weight do not count
};

/// What float lanes may be given: t and |κ| up to kFloatRange, and the greatest |v| neither above it nor, unless it is
/// 0, below 1/kFloatRange. Then nothing overflows, and numbers below 2^−126, which are 0 there, change scores by less
/// than 2^−64 and means by less than 2^−66·max|v|.
inline constexpr double kFloatRange = 0x1p60;

/// Answers the queries and leaves the keys that count after the last one. False: t falls, or too many keys compete.
template <class T, class L>
bool pass_candidates(const CandidateRows<T, L>& rows, CompetingKeys& keys);

}  // namespace quench::run
