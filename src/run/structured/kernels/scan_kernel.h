// Attention by scan, sixteen positions at once: what methods/scan.h is made of.
//
// A row holds position t of kLanes words, or of kLanes segments of one word; the lanes know nothing of each other. For
// every class c of keys (methods/scan.h says what a class is) a lane keeps, over the keys it has met,
//
//   (m, Z, N) = (max κ, Σ e^{κ−m}, Σ e^{κ−m} v),
//
// and a new key needs one exponential, e = e^{−|κ−m|}: where κ > m the old sums are multiplied by e, elsewhere the new
// key is. A query sees class c at κ + D_c(i), so classes join with the weights e^{m_c + D_c − max}; only differences
// of scores are ever formed. Sums are kept in double, rounded to T once, then divided.
//
// exp: for double as in lane_exp.h (below 1.8 units); for float, in double within 2^−26.4 relative (lane_math-inl.h), a
// fifth of float's unit. Scores more than 120 (350) below the greatest weigh 0: e^−120 < 2^−173, e^−350 < 2^−504.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/number/aligned.h"

namespace quench::run {

inline constexpr std::size_t kLanes = 16;
inline constexpr std::size_t kMostScanClasses = 8;

/// A key that is not there, and the maximum over no keys: differences with real scores give weights 0 and 1.
inline constexpr double kNoKey = -0x1p1001, kNoMax = -0x1p1000;

/// Scores below the greatest where weights begin to be 0: far below what counts (negligible()), above what would make
/// subnormal numbers.
template <class T>
inline constexpr double kLowest = sizeof(T) == 4 ? -120 : -350;

/// How far keys may be from the numbers they stand for, j or j² times one factor, relative to them: a rounding each of
/// the encoding, the weight's product and the factor, the same of j², and two to spare. This is part of the bound that
/// methods/head_range.h derives.
template <class T>
inline constexpr T kKeyRounding = sizeof(T) == 4 ? T{0x1p-21} : static_cast<T>(0x1p-50);

/// The sums of one class, by lane.
struct ClassSums {
  alignas(64) double max[kLanes], total[kLanes];
  AlignedVector<double> values;  ///< value x at x·kLanes

  explicit ClassSums(std::size_t value_count) : values(value_count * kLanes) { clear(); }
  void clear() {
    for (std::size_t s = 0; s < kLanes; ++s) max[s] = kNoMax, total[s] = 0;
    for (double& x : values) x = 0;
  }
};

/// One head over some rows. Row t begins at index t·kLanes of every plane.
template <class T>
struct ScanRows {
  std::size_t steps = 0;
  bool backwards = false;             ///< the last row first
  bool strict = false;                ///< a query does not see its own key
  const double* kappa = nullptr;      ///< null: 0 throughout
  const T* mark = nullptr;            ///< what tells the classes of keys apart; null: there is one
  std::vector<double> class_mark;     ///< by class
  std::vector<const double*> offset;  ///< D_c by class after the first, whose D is 0
  std::vector<const T*> v;
  std::vector<T*> out;
};

/// What a key does to the sums of its class, N becoming keep·N + add·v, and how the query there weighs the classes,
/// where both are the same in all lanes.
struct ScanStep {
  std::size_t into = 0;  ///< the key's class
  double keep = 0, add = 0;
  double weight[kMostScanClasses] = {};  ///< by class
  double total = 0;                      ///< of the weights of all keys in sight
};

/// Adds the keys of the rows to empty sums, no queries. Weights below e^{−cutoff} of a class's greatest may be left
/// out.
template <class T>
void add_keys(const ScanRows<T>& rows, double cutoff, std::vector<ClassSums>& sums);

/// Keys into the sums, which begin as `before`, and queries out of them, row by row.
template <class T>
void scan_keys(const ScanRows<T>& rows, const std::vector<ClassSums>& before);

/// As scan_keys(), from empty sums, with the steps known beforehand, one for every row in the order of the scan. Keys,
/// marks and offsets are not looked at.
template <class T>
void follow_steps(const ScanRows<T>& rows, std::span<const ScanStep> steps, std::size_t classes);

/// Every query sees the sums as they are.
template <class T>
void ask_queries(const ScanRows<T>& rows, const std::vector<ClassSums>& sums);

/// Whether every x is one of the values, of which there are some.
template <class T>
bool all_among(const T* x, std::span<const T> values, std::size_t count);

/// score = factor·Σ_l weight_l·x_l; returns whether all are finite.
template <class T>
bool make_scores(std::span<const T* const> x, std::span<const double> weight, double factor, std::size_t count,
                 double* score);

}  // namespace quench::run
