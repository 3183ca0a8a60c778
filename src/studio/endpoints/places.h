// Places in a text as JavaScript counts them: UTF-16 code units from 0.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace quench::studio {

class Places {
 public:
  explicit Places(std::string_view text);
  /// Of a byte; behind the end: the end.
  std::size_t of_byte(std::size_t byte) const { return units_[byte < units_.size() ? byte : units_.size() - 1]; }
  /// The byte at which a character stands, lines and characters being counted from 1.
  std::size_t byte_at(std::size_t line, std::size_t column) const;

 private:
  std::string text_;
  std::vector<std::size_t> units_;  ///< by byte, and the end: code units before it
};

}  // namespace quench::studio
