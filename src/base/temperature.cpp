#include "base/temperature.h"

#include <cmath>

#include "base/error.h"

namespace quench {

double inverse_temperature(Temperature temperature, std::size_t i, std::size_t n) {
  switch (temperature) {
    case Temperature::one:
      return 1;
    case Temperature::inverse_n:
      return static_cast<double>(n);
    case Temperature::inverse_i:
      return static_cast<double>(i);
    case Temperature::inverse_i_sq:
      return static_cast<double>(i) * static_cast<double>(i);
    case Temperature::inverse_power:
      return static_cast<double>(power_above(n));
    case Temperature::inverse_n_cubed_log: {
      const auto length = static_cast<double>(n);
      return length * length * length * std::log1p(length);
    }
    case Temperature::inverse_log:
      return std::log1p(static_cast<double>(n));
    case Temperature::inverse_n_log: {
      const auto length = static_cast<double>(n);
      return length * std::log1p(length);
    }
    case Temperature::inverse_n_sq_log: {
      const auto length = static_cast<double>(n);
      return length * length * std::log1p(length);
    }
  }
  throw InternalError("temperature of unknown kind");
}

}  // namespace quench
