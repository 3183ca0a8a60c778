#include "bounds/upper.h"

#include <algorithm>
#include <climits>

#include "bounds/ball.h"

namespace quench::bounds {

long Upper::ceil_log2() const {
  constexpr long kBeyondAll = LONG_MAX / 4;  // sums with exponents of formats stay within a long
  if (is_zero()) return -kBeyondAll;
  if (!is_finite()) return kBeyondAll;
  // arf: value = m·2^e with m in [½, 1); arf_abs_bound_lt_2exp gives e, and 2^{e−1} itself is a power of two.
  const long e = arf_abs_bound_lt_2exp_si(value_);
  return arf_cmpabs_2exp_si(value_, e - 1) == 0 ? e - 1 : e;
}

Upper power_of_two(long exponent) {
  Upper result(1);
  arf_mul_2exp_si(result.get(), result.get(), exponent);
  return result;
}

Upper unit_roundoff(const FloatFormat& format) { return power_of_two(-format.precision); }

Upper rounding_error(const FloatFormat& format, const Upper& magnitude) {
  if (magnitude.is_zero()) return {};
  if (magnitude > Upper(format.max_finite)) {
    Upper infinite;
    arf_pos_inf(infinite.get());
    return infinite;
  }
  return power_of_two(std::max<long>(magnitude.ceil_log2() - 1, format.min_exponent) - format.precision);
}

Upper accumulated(const Upper& u, double count) {
  // (1+u)^count − 1 ≤ e^{count·u} − 1
  return upper_of(expm1(Ball(u) * Ball(count)));
}

}  // namespace quench::bounds
