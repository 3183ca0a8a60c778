// Heads in linear time by classes of keys, sixteen lanes at once (kernels/scan_kernel.h).
//
// s_ij = scale_i Σ_l q_l(i) k_l(j). Split the components: `common` ones, where scale_i q_l(i) is the same number for
// all queries, and the others. If the keys' vectors of other components take C ≤ 8 distinct values x_1 … x_C, then
//
//   s_ij = κ_j + o_c(i)  for j in class c,   κ_j = Σ_common scale·q_l·k_l(j),   o_c(i) = scale_i Σ_other q_l(i) x_c,l
//
// and Σ_j e^{s_ij} v_j = Σ_c e^{o_c(i)} Σ_{j ∈ c} e^{κ_j} v_j: the inner sums do not depend on the query, so one scan
// over the keys keeps them. Rows are unchanged if o_1(i) is taken off them, which leaves D_c = o_c − o_1. Uniform heads
// have κ = 0 and one class, sinks one class more, parities two; a tie-break at τ = 1/n is one class with
// κ = 2γn(S ± j/2n).
//
// One word is cut into kLanes segments of equal length, side by side in the lanes: first the sums of each segment, from
// which what lies before it follows, then the scan. In a batch the lanes are words; scores that depend on positions
// alone are then the same in all lanes, and what they do to the sums is worked out once for all words.
//
// Rounding: κ and o carry a few units in the last place of the largest |s|, as any evaluation of q·k does; each step of
// the scan adds at most 8u relative (exp 1.8u), damped by the same factors as the sums themselves.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/attention_kind.h"
#include "base/number/aligned.h"
#include "run/structured/kernels/scan_kernel.h"
#include "run/structured/methods/linear_method.h"
#include "run/structured/methods/scan_by_position.h"

namespace quench::run {

/// One head over the windows of a word, in the order in which its mask lets keys come into sight, or over whole words
/// side by side. Gives up where the scores are not of the form above.
template <class T>
class LaneScan final : public LinearMethod<T> {
 public:
  using Views = std::vector<const T*>;

  explicit LaneScan(const MethodSetting<T>& setting);

  /// Queries foreseen as constants need not be there.
  bool feed(const HeadWindow<T>& head) override;

  bool looks_back() const { return foreseen_ && foreseen_->looks_back; }
  /// Whether only the values are still looked at.
  bool knows_scores() const { return looks_back() || steps_.known(); }
  /// Whether keys are looked at by rank (rank_kernel.h): k is then the one coordinate that decides it.
  bool by_rank(const LaneWindow& window) const {
    if (!foreseen_ || no_ranks_) return false;
    return window.segments ? foreseen_->slope && !window.has_holes(mask_) : foreseen_->ranks.has_value();
  }
  /// Whether all queries see all keys, and alike.
  bool answers_alike() const {
    return !ScanOrder(mask_).masked && classes_.size() == 1 &&
           std::ranges::all_of(kinds_, [](Kind kind) { return kind == Kind::common; });
  }
  /// After words whose keys were not of two ranks: from now on they need not be.
  void give_up_ranks() { no_ranks_ = true; }

  /// After a window showed that a query is not the same for all positions, as those before let it seem: forgets the
  /// windows, but not that, for another try from the first window on. False: nothing was learned.
  bool restart();

 private:
  enum class Kind { unknown, common, other };

  bool feed_ranks(const LaneWindow& window, const T* rank, const Views& v, const std::vector<T*>& out) const;
  bool feed_segments(const HeadWindow<T>& head);
  void copy_from_before(const LaneWindow& window, const T* v, T* out, T& last) const;
  StepScores scores_by_position(std::size_t count) const;
  bool split(const Views& q, bool steady, std::size_t size);
  bool classify(const Views& k, std::size_t size);
  bool make_kappa(const LaneWindow& window, const Views& k, double steady);
  bool make_offsets(const Views& q, const std::vector<double>& scale, double steady, std::size_t size);
  void join_segments(std::vector<ClassSums>& segments);
  void spread_state(std::vector<ClassSums>& lanes) const;

  std::size_t values_;
  double cutoff_;
  Mask mask_;
  std::vector<Kind> kinds_;              ///< by component
  std::vector<T> query_;                 ///< of common components
  std::vector<std::vector<T>> classes_;  ///< key vectors of the other components
  std::vector<ClassSums> state_;         ///< by class: the windows so far, in lane 0
  std::vector<T> last_;                  ///< of heads that look back: the windows' last values,
  bool begun_ = false;                   ///< if there were any
  bool learned_ = false;
  bool no_ranks_ = false;
  const ForeseenHead<T>* foreseen_;  ///< null: nothing
  ScanSteps<T> steps_;               ///< of words whose scores depend on positions alone
  // Of the window, in lane order:
  bool flat_ = false;  ///< κ = 0 throughout
  AlignedVector<double> kappa_;
  Views keys_;                   ///< what κ is made of,
  std::vector<double> weights_;  ///< and how
  const T* mark_ = nullptr;      ///< what tells the classes apart
  AlignedVector<T> class_of_;    ///< it, where that takes several components
  std::vector<AlignedVector<double>> offsets_;
  ScanRows<T> rows_;
  std::vector<ClassSums> sums_;
};

extern template class LaneScan<float>;
extern template class LaneScan<double>;

}  // namespace quench::run
