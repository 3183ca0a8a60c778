#include "base/text/utf8.h"

#include <algorithm>
#include <iterator>

namespace quench {
namespace {

struct Range {
  char32_t first, last;
};

template <std::size_t Count>
bool contains(const Range (&ranges)[Count], char32_t code) {
  return std::any_of(std::begin(ranges), std::end(ranges),
                     [code](const Range& range) { return range.first <= code && code <= range.last; });
}

constexpr Range kCombining[] = {{0x300, 0x36F},   {0x483, 0x489},   {0x591, 0x5BD},   {0x610, 0x61A},
                                {0x64B, 0x65F},   {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF}, {0x200B, 0x200D},
                                {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xE0100, 0xE01EF}};

constexpr Range kWide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
                           {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
                           {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};

// Controls, line separators, marks that turn the writing direction, byte order mark.
constexpr Range kHidden[] = {{0x0, 0x1F},      {0x7F, 0x9F},     {0x200E, 0x200F}, {0x2028, 0x202E},
                             {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF0, 0xFFFB}, {0xE0000, 0xE007F}};

// Blocks of spaces, punctuation, arrows, mathematical signs and pictures; U+2080–U+208E are the subscripts, as in φ₁.
constexpr Range kNoName[] = {{0x80, 0xA9},     {0xAB, 0xB1},     {0xB4, 0xB4},       {0xB6, 0xB8},
                             {0xBB, 0xBF},     {0xD7, 0xD7},     {0xF7, 0xF7},       {0x2000, 0x207F},
                             {0x208F, 0x2100}, {0x2190, 0x2BFF}, {0x2E00, 0x2E7F},   {0x3000, 0x3004},
                             {0x3008, 0x3020}, {0xD800, 0xF8FF}, {0xFE00, 0xFE6F},   {0xFEFF, 0xFF0F},
                             {0xFF1A, 0xFF20}, {0xFFF0, 0xFFFF}, {0x1F000, 0x1FAFF}, {0xE0000, 0x10FFFF}};

/// The least code point that needs a sequence of this many bytes: anything below is overlong.
constexpr char32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};

std::size_t sequence_length(unsigned char lead) {
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return 2;
  if (lead >= 0xE0 && lead <= 0xEF) return 3;
  if (lead >= 0xF0 && lead <= 0xF4) return 4;
  return 0;
}

}  // namespace

Utf8Char decode_utf8(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[at + k]); };
  constexpr Utf8Char kInvalid{0xFFFD, 1, false};

  const std::size_t length = sequence_length(byte(0));
  if (length == 1) return {byte(0), 1, true};
  if (length == 0 || length > text.size() - at) return kInvalid;

  char32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t k = 1; k < length; ++k) {
    if ((byte(k) & 0xC0) != 0x80) return kInvalid;
    code = (code << 6) | (byte(k) & 0x3F);
  }
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kLeast[length] || code > 0x10FFFF || surrogate) return kInvalid;
  return {code, length, true};
}

bool valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char character = decode_utf8(text, at);
    if (!character.valid) return false;
    at += character.length;
  }
  return true;
}

std::string encode_utf8(char32_t code) {
  std::string bytes;
  const auto push = [&](char32_t value) { bytes += static_cast<char>(value); };
  if (code < 0x80) {
    push(code);
  } else if (code < 0x800) {
    push(0xC0 | (code >> 6));
    push(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    push(0xE0 | (code >> 12));
    push(0x80 | ((code >> 6) & 0x3F));
    push(0x80 | (code & 0x3F));
  } else {
    push(0xF0 | (code >> 18));
    push(0x80 | ((code >> 12) & 0x3F));
    push(0x80 | ((code >> 6) & 0x3F));
    push(0x80 | (code & 0x3F));
  }
  return bytes;
}

int display_width(char32_t code) {
  if (code < 0x300) return 1;
  if (contains(kCombining, code)) return 0;
  return contains(kWide, code) ? 2 : 1;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t at = 0; at < text.size();) {
    const Utf8Char character = decode_utf8(text, at);
    width += character.valid ? static_cast<std::size_t>(display_width(character.code)) : 1;
    at += character.length;
  }
  return width;
}

bool showable(char32_t code) { return !contains(kHidden, code); }

std::string printable(std::string_view text, std::size_t limit) {
  std::string shown;
  std::size_t count = 0;
  for (std::size_t at = 0; at < text.size(); ++count) {
    if (count == limit) return shown + "…";
    const Utf8Char character = decode_utf8(text, at);
    shown += character.valid && showable(character.code) ? text.substr(at, character.length) : "\uFFFD";
    at += character.length;
  }
  return shown;
}

bool is_name_character(char32_t code) {
  if (code < 0x80)
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') || code == '_';
  return !contains(kNoName, code);
}

}  // namespace quench
