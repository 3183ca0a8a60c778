// Attention by scan, eight segments of the word at once.
//
// A window of the word is cut into kLanes segments of equal length; step t of segment s lies at index t·kLanes + s.
// Each segment is scanned from its own beginning, all of them side by side in a vector; then what lies before a segment
// is worked in. A scan keeps (m, Z, N) = (max κ, Σ e^{κ−m}, Σ e^{κ−m} v) of the keys so far (head_classes.cpp has the
// derivation and the rounding), and two of them join by rescaling the one with the smaller maximum: one exponential.
//
// Measured against scans head by head over the whole word (cpu time, n = 10⁶, f32): a formula of 20 operators 3.9× faster.
#pragma once

#include <cstddef>
#include <vector>

#include "run/head_work.h"

namespace quench::run {

inline constexpr std::size_t kLanes = 8;

/// The state of one scan over the keys met so far.
struct ScanState {
  double max, total;
  std::vector<double> values;
};

/// One head over successive windows of a word, in the order in which its mask lets keys come into sight (its own
/// position included). Gives up where the scores are not of the form of head_classes.cpp.
template <class T>
class LaneScan {
 public:
  static constexpr std::size_t kMostClasses = 4;
  using Planes = std::vector<std::vector<T>>;

  /// cutoff: see negligible().
  LaneScan(std::size_t components, std::size_t values, double cutoff);

  /// q, k by component, v and out by value, all in lane order, `steps` · kLanes long; scale by index, empty if it is
  /// 1/τ(n) = `steady` throughout. Of the window's positions the first `live` exist. False: not such a head; the state
  /// is then void.
  bool feed(const Planes& q, const Planes& k, const Planes& v, const std::vector<double>& scale, double steady,
            std::size_t steps, std::size_t live, Planes& out);

 private:
  enum class Kind { unknown, common, other };
  /// (m, Z, N) after every key of the window.
  struct Window {
    std::vector<double> max, total;
    std::vector<std::vector<double>> values;
  };

  bool split(const Planes& q, bool steady, std::size_t size);
  bool classify(const Planes& k, std::size_t size);
  bool make_kappa(const Planes& k, double steady, std::size_t steps, std::size_t live);
  void scan_class(std::size_t c, const Planes& v, std::size_t steps);
  void join_segments(std::size_t c, std::size_t steps);
  void answer(const Planes& q, const std::vector<double>& scale, double steady, std::size_t steps, Planes& out);

  double tiny(std::size_t value) const { return kTinyMean * greatest_[value]; }

  std::size_t values_;
  double cutoff_;
  std::vector<Kind> kinds_;              ///< by component
  std::vector<T> query_;                 ///< of common components
  std::vector<double> greatest_;         ///< |v| so far, by value
  std::vector<std::vector<T>> classes_;  ///< key vectors of the other components
  std::vector<ScanState> states_;        ///< by class
  bool flat_ = false;                    ///< κ = 0 throughout
  // Of the window, in lane order:
  std::vector<double> kappa_, class_of_;
  std::vector<Window> windows_;  ///< by class
  std::vector<double> masked_, keep_, add_, offset_;
  std::vector<std::vector<double>> sums_;
};

extern template class LaneScan<float>;
extern template class LaneScan<double>;

}  // namespace quench::run
