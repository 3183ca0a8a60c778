#include "bounds/lemmas.h"

#include <cmath>

#include "bounds/ball.h"

namespace quench::bounds {

double hardmax_distance(double gamma) {
  const Ball x = exp(Ball(-gamma));
  return upper_of(Ball(4) * x / (Ball(1) + x)).to_double();
}

double boolean_error(double gamma) { return hardmax_distance(gamma) / 2; }

double lookup_error(double gamma) { return upper_of(Ball(1.5) * exp(Ball(-gamma))).to_double(); }

double previous_error(double gamma) {
  const Ball square = exp(Ball(-2) * Ball(gamma)), cube = exp(Ball(-3) * Ball(gamma));
  return upper_of((square + cube) / (Ball(1) - square)).to_double();
}

double any_error(double gamma) { return upper_of(exp(Ball(-2) * Ball(gamma))).to_double(); }

double sign_error(double gamma) { return 2 * any_error(gamma); }

double linear_sign_error(double gamma) {
  const Ball tail = exp(Ball(-2) * Ball(gamma) / Ball(3));
  return upper_of(exp(Ball(-gamma)) * (Ball(1) + tail)).to_double();
}

double smallest_gamma() { return std::log(16.0); }

}  // namespace quench::bounds
