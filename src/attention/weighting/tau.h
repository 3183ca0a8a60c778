// The temperature of a row, τ(i, n): a function of the query's position i = 1 … n and the length n, as in the papers
// (the only place where positions count from 1; rows and keys are otherwise numbered from 0).
#pragma once

#include <cstddef>
#include <functional>

#include "base/attention_kind.h"

namespace quench::attention {

class Tau {
 public:
  using Function = std::function<double(std::size_t i, std::size_t n)>;

  Tau(double constant = 1);  // NOLINT: a number is a temperature
  Tau(Temperature formula);  // NOLINT: so is a formula of the model file
  explicit Tau(Function function) : function_(std::move(function)) {}

  /// τ for the 0-based row `query` of a word of `length` keys. Zero stands for the limit τ → 0. Throws UserError when
  /// the function gives a negative number or NaN.
  double at_row(std::size_t query, std::size_t length) const;

 private:
  Function function_;
};

/// score/τ, continued to τ = 0 as its limit: ±∞ by sign, and 0 at 0.
double cooled(double score, double tau);

}  // namespace quench::attention
