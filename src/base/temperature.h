// The one evaluator of the temperature formulas of heads.
#pragma once

#include <cstddef>

#include "base/attention_kind.h"

namespace quench {

/// 1/τ(i, n), positions i counted from 1: an integer, rounded to double, or a product with ln(n+1) within three units
/// in the last place.
double inverse_temperature(Temperature temperature, std::size_t i, std::size_t n);

}  // namespace quench
