// UTF-8 decoding that never reads out of range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quench {

struct Utf8Char {
  char32_t code = 0;
  std::size_t length = 1;  ///< bytes consumed, at least 1
  bool valid = true;       ///< false: a byte that begins no well-formed sequence (overlong, surrogate, truncated …)
};

/// The character at `text[at]`; `at` must be less than text.size().
Utf8Char decode_utf8(std::string_view text, std::size_t at);

bool valid_utf8(std::string_view text);
std::string encode_utf8(char32_t code);

}  // namespace quench
