// What a rule or a model says of a word.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quench/error.h>

namespace quench::api {

enum class AnswerKind : std::uint8_t { truth, numbers, symbols, scores };

/// "truth", "numbers", "symbols", "scores".
std::string_view name_of(AnswerKind kind);

/// A value at every position; of the lists below, the one that `kind` names has as many entries as the word has
/// symbols, and the others are empty.
struct Answer {
  struct Score {
    std::string symbol;  ///< that the score is of; empty if the rule has one score only
    double value = 0;    ///< in steps of a millionth
    friend bool operator==(const Score&, const Score&) = default;
  };

  AnswerKind kind = AnswerKind::truth;
  std::vector<bool> truth;  ///< formulas, and most programs
  std::vector<std::int64_t> numbers;
  std::vector<std::vector<std::string>> symbols;  ///< what each position puts out; "" is one that no rule mentions
  std::vector<std::vector<Score>> scores;

  std::size_t length() const { return truth.size() + numbers.size() + symbols.size() + scores.size(); }
  /// The truth at the last position. Throws UserError if the answer is of another kind.
  bool accepted() const;

  friend bool operator==(const Answer&, const Answer&) = default;
};

}  // namespace quench::api
