#include "run/inspect/terminal_text.h"

#include <algorithm>

#include "base/text/utf8.h"

namespace quench::run {

namespace {

constexpr std::string_view kReplacement = "\xef\xbf\xbd";  // U+FFFD

/// Bytes of the character at `text[at]` by its first byte alone, never beyond the end. A stray byte counts as one.
std::size_t character_length(std::string_view text, std::size_t at) {
  const auto lead = static_cast<unsigned char>(text[at]);
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return std::min(length, text.size() - at);
}

/// Lead bytes e3 … ed and f0 begin U+3000 … U+DFFF and the emoji planes: two columns, nearly always.
std::size_t character_columns(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  return (lead >= 0xe3 && lead <= 0xed) || lead == 0xf0 ? 2 : 1;
}

bool is_hidden(std::string_view character) {
  const Utf8Char decoded = decode_utf8(character, 0);
  return !decoded.valid || !showable(decoded.code);
}

}  // namespace

std::size_t columns(std::string_view text) {
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at))
    count += character_columns(text.substr(at, character_length(text, at)));
  return count;
}

std::string cut(std::string_view text, std::size_t limit) {
  std::string shown;
  const bool fits = columns(text) <= limit;
  std::size_t used = fits || limit == 0 ? 0 : 1;  // room for the "…"
  for (std::size_t at = 0; at < text.size(); at += character_length(text, at)) {
    const std::string_view character = text.substr(at, character_length(text, at));
    used += character_columns(character);
    if (used > limit) break;
    shown += is_hidden(character) ? kReplacement : character;
  }
  return fits || limit == 0 ? shown : shown + "…";
}

std::string pad_left(std::string_view text, std::size_t width) {
  return std::string(width - std::min(width, columns(text)), ' ') + std::string(text);
}
std::string pad_right(std::string_view text, std::size_t width) {
  return std::string(text) + std::string(width - std::min(width, columns(text)), ' ');
}

}  // namespace quench::run
