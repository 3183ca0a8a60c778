#include "studio/endpoints/places.h"

namespace quench::studio {
namespace {

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

/// A character of four bytes takes two code units.
std::size_t units_of(char lead) { return static_cast<unsigned char>(lead) >= 0xF0 ? 2 : 1; }

}  // namespace

Places::Places(std::string_view text) : text_(text), units_(text.size() + 1) {
  std::size_t units = 0;
  for (std::size_t at = 0; at < text_.size(); ++at) {
    units_[at] = units;
    const bool last = at + 1 == text_.size() || !continues(text_[at + 1]);
    if (!continues(text_[at]) && last) units += units_of(text_[at]);
    if (continues(text_[at]) && last) {  // the end of a character of several bytes: count what it began with
      std::size_t lead = at;
      while (lead > 0 && continues(text_[lead])) --lead;
      units += units_of(text_[lead]);
    }
  }
  units_[text_.size()] = units;
}

std::size_t Places::byte_at(std::size_t line, std::size_t column) const {
  std::size_t at = 0;
  for (; line > 1; --line) {
    const std::size_t end = text_.find('\n', at);
    if (end == std::string::npos) return text_.size();
    at = end + 1;
  }
  for (; column > 1 && at < text_.size(); --column) {
    ++at;
    while (at < text_.size() && continues(text_[at])) ++at;
  }
  return at;
}

}  // namespace quench::studio
