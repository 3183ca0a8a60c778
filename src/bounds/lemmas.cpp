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

double smallest_gamma() { return std::log(16.0); }

}  // namespace quench::bounds
