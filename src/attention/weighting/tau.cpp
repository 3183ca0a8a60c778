#include "attention/weighting/tau.h"

#include <cmath>
#include <limits>
#include <string>

#include "base/error.h"

namespace quench::attention {

namespace {

double evaluate(Temperature formula, std::size_t i, std::size_t n) {
  const auto position = static_cast<double>(i);
  switch (formula) {
    case Temperature::one:
      return 1;
    case Temperature::inverse_n:
      return 1 / static_cast<double>(n);
    case Temperature::inverse_i:
      return 1 / position;
    case Temperature::inverse_i_sq:
      return 1 / (position * position);
    case Temperature::inverse_n_cubed_log: {
      const auto length = static_cast<double>(n);
      return 1 / (length * length * length * std::log1p(length));
    }
    case Temperature::inverse_log:
      return 1 / std::log1p(static_cast<double>(n));
    case Temperature::inverse_n_log:
      return 1 / (static_cast<double>(n) * std::log1p(static_cast<double>(n)));
    case Temperature::inverse_n_sq_log:
      return 1 / (static_cast<double>(n) * static_cast<double>(n) * std::log1p(static_cast<double>(n)));
    case Temperature::inverse_power:
      return 1 / static_cast<double>(power_above(n));
  }
  throw InternalError("a temperature formula without a meaning");
}

}  // namespace

Tau::Tau(double constant) : function_([constant](std::size_t, std::size_t) { return constant; }) {}

Tau::Tau(Temperature formula)
    : function_([formula](std::size_t i, std::size_t n) { return evaluate(formula, i, n); }) {}

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
