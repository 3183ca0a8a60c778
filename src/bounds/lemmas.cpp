#include "bounds/lemmas.h"

#if __has_include(<flint/arb.h>)
#include <flint/arb.h>
#else
#include <arb.h>
#endif

#include <cmath>

namespace quench::bounds {
namespace {

constexpr long kPrecision = 128;

/// A ball that frees itself.
class Ball {
 public:
  Ball() { arb_init(value_); }
  explicit Ball(double x) : Ball() { arb_set_d(value_, x); }
  Ball(const Ball&) = delete;
  Ball& operator=(const Ball&) = delete;
  ~Ball() { arb_clear(value_); }
  arb_ptr get() { return value_; }

  double upper() {
    arf_t bound;
    arf_init(bound);
    arb_get_ubound_arf(bound, value_, kPrecision);
    const double result = arf_get_d(bound, ARF_RND_UP);
    arf_clear(bound);
    return result;
  }

 private:
  arb_t value_;
};

/// e^{−numerator·γ/denominator}
void exp_of_minus(Ball& result, double gamma, unsigned long numerator, unsigned long denominator = 1) {
  arb_set_d(result.get(), gamma);
  arb_mul_ui(result.get(), result.get(), numerator, kPrecision);
  arb_div_ui(result.get(), result.get(), denominator, kPrecision);
  arb_neg(result.get(), result.get());
  arb_exp(result.get(), result.get(), kPrecision);
}

}  // namespace

double hardmax_distance(double gamma) {
  Ball x(gamma), denominator;
  arb_neg(x.get(), x.get());
  arb_exp(x.get(), x.get(), kPrecision);
  arb_add_ui(denominator.get(), x.get(), 1, kPrecision);
  arb_mul_ui(x.get(), x.get(), 4, kPrecision);
  arb_div(x.get(), x.get(), denominator.get(), kPrecision);
  return x.upper();
}

double boolean_error(double gamma) { return hardmax_distance(gamma) / 2; }

double lookup_error(double gamma) {
  Ball x(gamma);
  arb_neg(x.get(), x.get());
  arb_exp(x.get(), x.get(), kPrecision);
  arb_mul_ui(x.get(), x.get(), 3, kPrecision);
  arb_div_ui(x.get(), x.get(), 2, kPrecision);
  return x.upper();
}

double previous_error(double gamma) {
  Ball square, cube, rest;
  exp_of_minus(square, gamma, 2);
  exp_of_minus(cube, gamma, 3);
  arb_sub_ui(rest.get(), square.get(), 1, kPrecision);
  arb_neg(rest.get(), rest.get());
  arb_add(square.get(), square.get(), cube.get(), kPrecision);
  arb_div(square.get(), square.get(), rest.get(), kPrecision);
  return square.upper();
}

double any_error(double gamma) {
  Ball x;
  exp_of_minus(x, gamma, 2);
  return x.upper();
}

double sign_error(double gamma) { return 2 * any_error(gamma); }

double linear_sign_error(double gamma) {
  Ball x, y;
  exp_of_minus(x, gamma, 1);
  exp_of_minus(y, gamma, 2, 3);
  arb_add_ui(y.get(), y.get(), 1, kPrecision);
  arb_mul(x.get(), x.get(), y.get(), kPrecision);
  return x.upper();
}

double smallest_gamma() { return std::log(16.0); }

}  // namespace quench::bounds
