// Heads whose sharpness grows with the query, in lanes: s_ij = t_i·κ_j, such as γi²(S_j − 1/j) [P-L8a].
//
// Let M_i = max_{visible j} κ_j. A key with t_i(M_i − κ_j) > T, T = negligible(n), weighs less than e^{−T} of the row's
// best. In the order of the scan M_i never falls (more keys become visible) and neither, we check, does t_i ≥ 0: so
// such a key is negligible for ever. We keep those that were not when they came, until they are. What is dropped is
// at most n·e^{−T} of a row's total, and of those between e^{−T} and e^{−T'} at most 16·e^{−T'} ≤ 2^{−precision−3}
// (kernels/candidate_kernel.cpp): below its rounding.
//
// How many keys compete: with κ_j = S_j − 1/j and t_i = γi², the keys with S = 1 that count have
// i(i − j)/j ≤ T/γ, so i − j < T/γ: 11 for γ = 3 in f32 at n = 10⁶, 18 in f64. Equal κ in a row (float32 runs out of
// 1/j's) are one key with a count. A head with more than kMostCompeting of them is not run this way.
//
// One word after the other, its positions in the order of the scan, as many queries at once as a vector holds: a key
// needs one exponential for all of them. Sixteen words or segments side by side, each with a list of its own, are
// slower: those lists are as long as the longest, and moving keys in and out of them takes longer than the
// exponentials.
//
// In floats. A float head of one component whose numbers are of ordinary size (kFloatRange) is computed in float lanes,
// which are twice as many; others in double, with each sum rounded once. Weights are then 2^y, y = t'(κ_j − M_i),
// t' = t_i·|q_0|·log₂e. Let u = 2^−24. The difference, t' and their product are rounded once each, so x_j = t_i(κ_j −
// M_i) has a relative error of 3u, the weight one of u(1 + 3|x_j|), and a sum over m keys, by fused steps, one of mu
// besides (counts and sums of equal keys are kept in two floats each, and rounded to one when they are used: another
// u). The mean of |x_j| by weight is at most ln n: the weights' entropy ln Z + Σ α_j|x_j| is, and Z ≥ 1. So a mean is
// within
//
//   (2(1 + 3 ln n) + 2(m + 1) + 2)·u·max|v| = (2m + 6 + 6 ln n)·u·max|v|
//
// of the exact one, the last 2 for the division and what is dropped; 4m + 8 + 6 ln n on machines without fused steps.
// m ≤ n and m ≤ kMostCompeting + 16, so that is below the 16nu·max|v| of structured_executor.h. t' and M_i do not
// fall when rounded: what is negligible stays so.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/structured/kernels/candidate_kernel.h"
#include "run/structured/methods/linear_method.h"

namespace quench::run {

template <class T>
class LaneCandidates final : public LinearMethod<T> {
 public:
  using Views = std::vector<const T*>;

  explicit LaneCandidates(const MethodSetting<T>& setting);

  bool feed(const HeadWindow<T>& head) override;
  bool takes_stretches() const override { return true; }

 private:
  bool find_ratios(const Views& q, std::size_t size);
  bool run_lanes(const LaneWindow& window, std::size_t at, const Views& q, const Views& k, const Views& v,
                 const LaneScale& scale, double steady, const std::vector<T*>& out);
  bool fold(std::size_t at, std::size_t steps, const Views& q, const Views& k, const LaneScale& scale, double steady);
  void fold_scale(std::size_t at, std::size_t steps, const Views& q, const LaneScale& scale, double steady);
  bool floats_suffice(const LaneWindow& window, const Views& q, const LaneScale& scale, double steady) const;
  template <class L>
  bool run(std::size_t first, std::size_t count, double t_before, T* out, CompetingKeys& keys);

  double cutoff_, near_cutoff_;
  Mask mask_;
  bool exact_sums_;
  std::vector<double> ratio_;          ///< q_l = ratio_l·q_0
  double factor_ = 0;                  ///< q_0 of the first query; 0: not known yet
  bool one_query_ = false;             ///< and of all in the window
  std::vector<double> greatest_;       ///< |v| so far, by value
  double greatest_key_ = 0;            ///< so far, of a single component
  bool in_floats_ = false;             ///< this window, kernels/candidate_kernel.h
  double last_t_ = 0;                  ///< of the windows so far
  std::vector<CompetingKeys> before_;  ///< the same, by value
  // Of some lanes, in the order of the scan:
  std::vector<double> t_, kappa_, scale_;
  std::vector<float> float_t_;
  std::vector<std::vector<T>> scan_k_;
  Views key_views_;
  std::vector<T> scan_q_, scan_v_, scan_out_;
};

extern template class LaneCandidates<float>;
extern template class LaneCandidates<double>;

}  // namespace quench::run
