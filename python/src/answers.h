#pragma once

#include <quench/answer.h>

#include "bindings.h"

namespace quench::python {

/// The kind, the values, and of scores the symbols they are of: an array of truth values or integers, a list of lists
/// of symbols, or an array positions × scores.
nb::tuple to_python(const Answer& answer);

}  // namespace quench::python
