// Sign amplifiers at τ = 1 [Q-sign-lin], in lanes: s_ij = t_i·j(−1)^j, with values that depend on the parity of j
// alone.
//
// The even keys 2, 4, …, 2E and the odd ones 1, 3, …, 2O − 1 that a query sees are two geometric series. Relative to
// the greatest weight, with s = |t| and g(m) = Σ_{l<m} e^{−2sl} = expm1(−2sm)/expm1(−2s), g(m) = m at s = 0:
//
//   t ≥ 0:  even  g(E),                      odd  e^{−s(1+2E)} g(O)
//   t < 0:  odd   g(O),                      even e^{−s(1+2O)} g(E)
//
// and the mean is that of the two values with these weights (the best key of t ≥ 0 is 2E, and the odd keys' best, 1,
// lies s(1 + 2E) below it; likewise for t < 0). The quotient of two expm1 keeps full relative precision however small s
// is, where the rows are far from one-hot and every key counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "run/structured/methods/linear_method.h"

namespace quench::run {

template <class T>
class LaneSeries final : public LinearMethod<T> {
 public:
  explicit LaneSeries(const MethodSetting<T>& setting)
      : mask_(setting.mask), n_(setting.n), odd_(setting.values), even_(setting.values) {}

  bool feed(const HeadWindow<T>& head) override;

 private:
  Mask mask_;
  std::size_t n_;
  bool known_ = false;
  double factor_ = 0;          ///< k(j) = factor·j(−1)^j
  std::vector<T> odd_, even_;  ///< the values
};

extern template class LaneSeries<float>;
extern template class LaneSeries<double>;

}  // namespace quench::run
