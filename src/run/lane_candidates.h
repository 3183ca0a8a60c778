// Heads whose sharpness grows with the query, in lanes: s_ij = t_i·κ_j, such as γi²(S_j − 1/j) [P-L8a].
//
// Let M_i = max_{visible j} κ_j. A key with t_i(M_i − κ_j) > T, T = negligible(n), weighs less than e^{−T} of the row's
// best. In the order of the scan M_i never falls (more keys become visible) and neither, we check, does t_i ≥ 0: so
// such a key is negligible for ever. Each lane keeps the keys that were not when they came, the last kSlots of them;
// one that makes room for a newer one must be negligible by then, or the head is not run this way. What is dropped is
// at most n·e^{−T} of a row's total: below its rounding.
//
// How many keys compete: with κ_j = S_j − 1/j and t_i = γi², the keys with S = 1 that count have
// i(i − j)/j ≤ T/γ, so i − j < T/γ: 11 for γ = 3 in f32 at n = 10⁶, 18 in f64. Equal κ in a row (float32 runs out of
// 1/j's) are one key with a count.
//
// One word in segments: first every segment by itself, which leaves what of it can count later; then, segment by
// segment, what counts at its beginning; then the scan with the queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/candidate_kernel.h"
#include "run/lane_scan.h"

namespace quench::run {

template <class T>
class LaneCandidates {
 public:
  using Views = std::vector<const T*>;

  LaneCandidates(std::size_t values, double cutoff, Mask mask);

  /// As LaneScan::feed.
  bool feed(const LaneWindow& window, const Views& q, const Views& k, const Views& v, const std::vector<double>& scale,
            double steady, const std::vector<T*>& out);

 private:
  struct Key {
    double kappa, count, sum;
  };
  /// The keys of one word that count at its next position, in the order they came.
  struct Carried {
    double max = kNoMax;
    std::vector<Key> keys;
  };

  bool fold(const Views& q, const Views& k, const std::vector<double>& scale, double steady, std::size_t size);
  bool rises(const LaneWindow& window);
  bool carry(const LaneWindow& window, const LaneList<T>& segments, Carried& carried, LaneList<T>& before) const;

  double cutoff_;
  Mask mask_;
  std::vector<double> ratio_;     ///< q_l = ratio_l·q_0
  std::vector<double> greatest_;  ///< |v| so far, by value
  std::vector<double> t_, kappa_;
  double last_t_ = 0;             ///< of the windows so far
  std::vector<Carried> carried_;  ///< by value
};

extern template class LaneCandidates<float>;
extern template class LaneCandidates<double>;

}  // namespace quench::run
