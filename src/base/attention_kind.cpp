#include "base/attention_kind.h"

#include <bit>

namespace quench {

bool depends_on_length(Temperature temperature) {
  switch (temperature) {
    case Temperature::one:
    case Temperature::inverse_i:
    case Temperature::inverse_i_sq:
      return false;
    case Temperature::inverse_n:
    case Temperature::inverse_power:
    case Temperature::inverse_n_cubed_log:
    case Temperature::inverse_log:
    case Temperature::inverse_n_log:
    case Temperature::inverse_n_sq_log:
      return true;
  }
  return true;
}

KeyRange visible(Mask mask, std::size_t i, std::size_t n) {
  switch (mask) {
    case Mask::none:
      return {1, n};
    case Mask::future:
      return {1, i};
    case Mask::past:
      return {i, n};
    case Mask::strict_future:
      return {1, i - 1};
    case Mask::strict_past:
      return {i + 1, n};
  }
  return {1, 0};
}

std::size_t power_above(std::size_t n) { return std::bit_ceil(n); }

}  // namespace quench
