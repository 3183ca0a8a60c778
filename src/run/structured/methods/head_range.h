// Which numbers the fast ways of running a head are for. Others take the definition (definition.cpp).
//
// A fast head forms the same sums as the reference in another order, or in double. That changes them by roundings, as
// long as no number on either side leaves the range of the format F. With far(F) = 2^100 for float32 and 2^900 for
// double, A = Σ_l max|q_l|·max|k_l| over the positions met, S = max(1, max_i 1/(√d_k·τ(i, n))) and W the greatest |W_O|
// of the head we ask for
//
//   A·S, max|q_l|·S, max|k_l|, n·max|v|·W ≤ far(F)   and   W ≤ 2^60.
//
// Above: products, partial sums and scores are at most A·S, sums of weighted values at most n·max|v|, what is added to
// the residual stream 2^100 at most: nothing overflows, in any order, nor is that decided by a rounding.
// Below: a product too small for normal numbers loses 2^−150 (2^−1075) by rounding, on either side, and up to λ, the
// least normal number of its format, where kernels/no_subnormals.h flushes it; fast heads of float32 compute in double,
// or see to it themselves (kFloatRange). The factor it still meets is at most far(F), so that a score changes by 2^−50
// (2^−122) per component at most; a mean by λ, and what is added to the residual stream by λ·W ≤ 2^−66.
//
// Then, with u the rounding unit of F, A as above but for S, and d components, either side is within
//
//   (e^{2ε} − 1 + 8nu)·max|v|,   ε = (d + 12)·u·A/(τ√d_k),
//
// of the exact mean, and of each other within twice that and λ. Scores: of each product q_l·k_l the reference rounds
// the product, d − 1 sums, the two factors 1/√d_k and 1/τ (whose logarithm may be off by three units), the products
// with them, and the difference from the greatest score, which is at most twice as large: d + 8. Fast heads round no
// more of these, or do so in double, but their keys may be 8u from what they stand for (kKeyRounding) and exponents are
// products of up to four numbers: 12 at most. Scores that are off by ε change a weight by a factor between e^{−2ε} and
// e^{2ε}. Sums: an exponential, a product and n additions are rounded above and n below, and the quotient: 2n + 6 ≤ 8n.
// Tests ask for less than that, e^{16uA} − 1 + 16nu in all (tests/support/agreement.h).
#pragma once

#include <cstddef>
#include <vector>

#include "run/reference/plan.h"
#include "run/structured/methods/head_work.h"

namespace quench::run {

/// The greatest |q| and |k| by component, and |v|.
struct HeadSizes {
  std::vector<double> q, k;
  double v = 0;
};

/// far(F)
template <class T>
inline constexpr double kFar = sizeof(T) == 4 ? 0x1p100 : 0x1p900;

/// Whether numbers of these sizes are for the fast ways, in words of length n.
template <class T>
bool far_from_the_end(const HeadPlan& head, std::size_t n, const HeadSizes& sizes);

/// The same of numbers that come in one after the other.
template <class T>
class HeadRange {
 public:
  HeadRange(const HeadPlan& head, std::size_t n) : head_(&head), n_(n) { forget(); }

  void forget() { sizes_ = {std::vector<double>(head_->components), std::vector<double>(head_->components), 0}; }
  /// Whether all so far are for the fast ways: q, k by component and v by value, `count` positions each.
  bool take(const std::vector<const T*>& q, const std::vector<const T*>& k, const std::vector<const T*>& v,
            std::size_t count);

 private:
  const HeadPlan* head_;
  std::size_t n_;
  HeadSizes sizes_;
};

extern template class HeadRange<float>;
extern template class HeadRange<double>;

}  // namespace quench::run
