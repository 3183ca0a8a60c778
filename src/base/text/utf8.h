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

/// Columns a character takes on a terminal: 0 (combining), 1 or 2 (wide).
int display_width(char32_t code);
/// Of a whole text; invalid bytes count as one column each.
std::size_t display_width(std::string_view text);

/// Whether a character can be shown as it is: not a control, not invisible, not one that changes the writing direction.
bool showable(char32_t code);

/// `text` with everything that cannot be shown replaced by U+FFFD, cut with "…" after `limit` characters.
std::string printable(std::string_view text, std::size_t limit = 1000);
/// So much of a name is shown in a table, a picture or a message; files have all of it.
inline constexpr std::size_t kShownName = 60;

/// Letters, digits and `_`: what names, and symbols written without quotes, consist of.
bool is_name_character(char32_t code);

}  // namespace quench
