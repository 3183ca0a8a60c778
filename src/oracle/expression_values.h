// The value of an expression of a program for two positions i and j: the meaning of every operation, one after the
// other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/word.h"
#include "lang/program.h"

namespace quench::oracle {

/// Inside, scores are counted in units of 10^−12, so that sums of means come out right to the millionth.
inline constexpr std::int64_t kFine = 1'000'000;

class ExpressionValues {
 public:
  ExpressionValues(const lang::Program& program, const Word& word)
      : program_(program), word_(word), cells_(program.size()) {}

  const lang::Program& program() const { return program_; }
  std::int64_t length() const { return static_cast<std::int64_t>(word_.size()); }

  /// The value of `root`, whose subexpressions are `order`, for positions i and j, from 1.
  std::int64_t at(const std::vector<lang::ExpressionId>& order, lang::ExpressionId root, std::int64_t i,
                  std::int64_t j) {
    for (const lang::ExpressionId id : order) cells_[id.index] = value_of(program_[id], i, j);
    return cells_[root.index];
  }
  /// The same where one of the subexpressions has another value than it has.
  std::int64_t at(const std::vector<lang::ExpressionId>& order, lang::ExpressionId root, std::int64_t i, std::int64_t j,
                  lang::ExpressionId other, std::int64_t value) {
    for (const lang::ExpressionId id : order) cells_[id.index] = id == other ? value : value_of(program_[id], i, j);
    return cells_[root.index];
  }

  std::vector<std::vector<std::int64_t>> vectors;  ///< those computed so far, by VectorId

 private:
  std::int64_t value_of(const lang::Expression& expression, std::int64_t i, std::int64_t j);

  const lang::Program& program_;
  const Word& word_;
  std::vector<std::int64_t> cells_;  // by expression, for the positions at hand
};

}  // namespace quench::oracle
