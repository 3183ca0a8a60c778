// Lookups on a parabola, in lanes: s_ij = a_i·j − b_i·j², b_i > 0 [P-L7]. With c = a/2b,
//
//   s_ij = b(c² − (j − c)²),   s_ij − s_ij* = −b·d(d + 2(j* − c)),   d = j − j*.
//
// Let j* be the visible position nearest to c. If c lies in the visible range, |j* − c| ≤ δ ≤ ½ and the exponent is at
// most −b·r(r − 2δ) at distance r = |d|; if not, every visible j lies on the far side of j* from c, and it is at most
// −b·r². So with R such that
//
//   b·(R + 1)(R + 1 − 2δ) ≥ T,   T = negligible(n),
//
// b and δ the least and greatest of the window, all positions further than R from j* together weigh less than n·e^{−T}:
// below rounding. Where c is an integer, T/b ≤ 4 makes R = 1: three keys. Positions and their squares are exact here
// whatever the format holds in its keys, and score differences come from the product above: no cancellation between
// numbers of size bn².
//
// A word in windows keeps its values so far; they are all a query can see of it.
//
// Where b and j* − c are the same for all queries, as with an integer c and one temperature, the weights depend on d
// alone, and a row is a mean around j* that does not know its query: the means around all positions are formed in
// order, each from the 2R + 1 values around it, and a query takes one of them. That leaves the rows that do not see all
// of those keys (their own position hides some).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/structured/kernels/lookup_kernel.h"
#include "run/structured/methods/head_work.h"
#include "run/structured/methods/linear_method.h"

namespace quench::run {

template <class T>
class LaneLookup final : public LinearMethod<T> {
 public:
  using Views = std::vector<const T*>;

  explicit LaneLookup(const MethodSetting<T>& setting) : cutoff_(setting.cutoff), mask_(setting.mask), n_(setting.n) {}

  bool feed(const HeadWindow<T>& head) override;
  /// Only at the first position are the keys' components the factors of j and j² as they are.
  void introduce(const std::vector<double>& first_key) override {
    if (first_key.size() == 2) first_ = first_key;
  }

 private:
  bool find_parabola(const Views& k, const std::uint32_t* position, std::size_t size);
  void remember(const LaneWindow& window, const std::uint32_t* position, const Views& v);
  void prepare(const LaneWindow& window, const LookupRows<T>& rows);
  void find_means(std::size_t first, std::size_t last);
  std::size_t reach(double least_b, double greatest_shift) const;

  double cutoff_;
  Mask mask_;
  std::size_t n_;
  std::size_t linear_ = 2;                     ///< which component is the linear one; 2: not known yet
  std::vector<double> first_;                  ///< k_l(1), if it is known
  double factor_[2] = {0, 0};                  ///< k_l(j) = factor_l·j or ·j²
  std::vector<std::vector<T>> memory_;         ///< values by position,
  std::size_t known_from_ = 0, known_to_ = 0;  ///< from which to which
  std::vector<std::vector<T>> means_;          ///< by value and position
  ReadyMeans<T> ready_;
  std::vector<double> weight_;  ///< by distance: of ready_
  std::size_t shapes_ = 0;      ///< tried
  bool fitting_ = false;        ///< the last of them is that of most rows
  std::vector<std::uint32_t> rest_;
};

extern template class LaneLookup<float>;
extern template class LaneLookup<double>;

}  // namespace quench::run
