// t1 R t2 in normal form, in integers, before anything is rounded to a weight.
#pragma once

#include <optional>
#include <vector>

#include "base/number/int128.h"
#include "lang/formula.h"

namespace quench::lower {

/// Σ c_k κ_k + c ≥ 0, or = 0; or the opposite. The c_k are coprime; counts increase strictly, no coefficient is 0.
struct LinearComparison {
  struct Part {
    lang::Count count;
    Int128 coefficient;
  };
  std::vector<Part> parts;
  Int128 constant = 0;
  bool equality = false;  ///< = 0
  bool opposite = false;  ///< ≠ 0
};

LinearComparison normal_form(const lang::Formula& formula, const lang::Comparison& comparison);

/// Its truth, where the constant decides it whatever the word, of any length that a double can hold: n ≤ 2^53.
std::optional<bool> decided(const LinearComparison& comparison);

}  // namespace quench::lower
