#include "attention/weighting/tau.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/temperature.h"

namespace quench::attention {

Tau::Tau(double constant) : function_([constant](std::size_t, std::size_t) { return constant; }) {}

Tau::Tau(Temperature formula)
    : function_([formula](std::size_t i, std::size_t n) { return 1 / inverse_temperature(formula, i, n); }) {}

double Tau::at_row(std::size_t query, std::size_t length) const {
  const double tau = function_(query + 1, length);
  if (!(tau >= 0)) throw UserError("temperature " + std::to_string(tau) + " at position " + std::to_string(query + 1));
  return tau;
}

double cooled(double score, double tau) {
  if (tau > 0) return score / tau;
  if (score == 0) return 0;
  return score > 0 ? std::numeric_limits<double>::infinity() : -std::numeric_limits<double>::infinity();
}

}  // namespace quench::attention
