#include "base/word.h"

#include <algorithm>

#include "base/error.h"
#include "base/text/utf8.h"
#include "base/text/word_text.h"

namespace quench {
namespace {

bool is_single_character(std::string_view symbol) {
  return !symbol.empty() && decode_utf8(symbol, 0).length == symbol.size();
}

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f'; }

std::vector<std::string> characters(std::string_view text) {
  std::vector<std::string> result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = decode_utf8(text, at).length;
    result.emplace_back(text.substr(at, length));
    at += length;
  }
  return result;
}

std::vector<std::string> blank_separated(std::string_view text) {
  std::vector<std::string> result;
  for (auto at = text.begin(); at != text.end();) {
    const auto begin = std::find_if_not(at, text.end(), is_blank);
    at = std::find_if(begin, text.end(), is_blank);
    if (begin != at) result.emplace_back(begin, at);
  }
  return result;
}

}  // namespace

Alphabet::Alphabet(std::vector<std::string> symbols) {
  for (const std::string& symbol : symbols) intern(symbol);
}

Symbol Alphabet::intern(std::string_view symbol) {
  const auto [at, added] = numbers_.try_emplace(std::string(symbol), static_cast<Symbol>(symbols_.size()));
  if (added) symbols_.emplace_back(symbol);
  return at->second;
}

Symbol Alphabet::find(std::string_view symbol) const {
  const auto at = numbers_.find(std::string(symbol));
  return at == numbers_.end() ? kUnmentioned : at->second;
}

bool Alphabet::single_characters() const { return std::all_of(symbols_.begin(), symbols_.end(), is_single_character); }

std::vector<std::string> Alphabet::split(std::string_view text) const {
  if (!valid_utf8(text)) throw UserError("the word is not valid UTF-8: " + printable(text, 40));
  return single_characters() ? characters(text) : blank_separated(text);
}

Word Alphabet::parse(std::string_view text) const {
  Word word;
  for (const std::string& symbol : split(text)) word.push_back(find(symbol));
  if (word.empty()) throw UserError("the empty word has no last position, so no rule has a value on it");
  return word;
}

std::string Alphabet::print(const Word& word) const {
  const std::string other = unmentioned();
  std::vector<std::string> texts;
  for (const Symbol symbol : word)
    texts.push_back(symbol == kUnmentioned ? other : symbols_[static_cast<std::size_t>(symbol)]);
  return joined_symbols(*this, texts);
}

std::string Alphabet::unmentioned() const {
  for (const std::string_view candidate : {"_", ".", "*", "?", "-", "x", "z"})
    if (find(candidate) == kUnmentioned) return std::string(candidate);
  // Greek, Cyrillic and on: an alphabet is finite, so this ends.
  for (char32_t code = 0x3B1;; ++code)
    if (is_name_character(code) && find(encode_utf8(code)) == kUnmentioned) return encode_utf8(code);
}

}  // namespace quench
