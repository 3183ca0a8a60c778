#include "parse/text/quoted.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text/utf8.h"
#include "parse/text/codes.h"

namespace quench::parse {
namespace {

class Reader {
 public:
  Reader(std::string_view text, std::size_t at, Reporter& reporter, bool strings)
      : text_(text), begin_(at), at_(at + 1), quote_(text[at]), strings_(strings), reporter_(reporter) {}

  Quoted run() {
    while (at_ < text_.size() && text_[at_] != quote_ && text_[at_] != '\n') character();
    if (at_ >= text_.size() || text_[at_] == '\n') {
      fail(code::kUnclosedQuote, {begin_, at_}, "the quote is not closed on this line",
           {"a symbol is written `'a'`; a quote as a symbol is `'\\''`"});
      result_.end = at_;
      return result_;
    }
    result_.end = ++at_;
    if (quote_ == '"' && strings_) return result_;
    if (quote_ == '"')
      fail(code::kForeignOperator, {begin_, at_}, "symbols stand in single quotes", {"write `'…'` instead of `\"…\"`"});
    else if (result_.ok && result_.symbol.empty())
      fail(code::kMissingSymbol, {begin_, at_}, "there is no symbol between the quotes",
           {"the blank is `' '`; the empty string is not a symbol"});
    return result_;
  }

 private:
  void character() {
    if (text_[at_] == '\\') return escape();
    const Utf8Char character = decode_utf8(text_, at_);
    if (!character.valid)
      fail(code::kInvalidUtf8, {at_, at_ + 1}, "this byte is not valid UTF-8", {"save the text as UTF-8"});
    result_.symbol += text_.substr(at_, character.length);
    at_ += character.length;
  }

  void escape() {
    const std::size_t begin = at_++;
    const char kind = at_ < text_.size() ? text_[at_] : '\n';
    if (kind == 'u') return unicode_escape(begin);
    if (kind == '\'' || kind == '"' || kind == '\\') {
      result_.symbol += kind;
    } else if (kind == 'n' || kind == 't') {
      result_.symbol += kind == 'n' ? '\n' : '\t';
    } else {
      return bad_escape(begin);
    }
    ++at_;
  }

  /// \u{1F600}: one to six hexadecimal digits
  void unicode_escape(std::size_t begin) {
    const std::size_t open = at_ + 1;
    const std::size_t close = text_.substr(0, std::min(text_.size(), open + 8)).find('}', open);
    char32_t code = 0;
    bool good = open < text_.size() && text_[open] == '{' && close != std::string_view::npos && close > open + 1;
    for (std::size_t k = open + 1; good && k < close; ++k) {
      const std::size_t digit = std::string_view("0123456789abcdefABCDEF").find(text_[k]);
      good = digit != std::string_view::npos;
      code = code * 16 + static_cast<char32_t>(digit < 16 ? digit : digit - 6);
    }
    if (!good || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return bad_escape(begin);
    result_.symbol += encode_utf8(code);
    at_ = close + 1;
  }

  /// Goes on after the backslash, so that a closing quote is still found.
  void bad_escape(std::size_t begin) {
    at_ = begin + 1;
    fail(code::kBadEscape, {begin, begin + 1}, "no escape begins with this backslash",
         {"the escapes are \\' \\\\ \\n \\t and \\u{…} with the hexadecimal number of a character"});
  }

  void fail(const char* code, Span span, std::string message, std::vector<std::string> notes) {
    if (result_.ok) reporter_.add(code, span, std::move(message), std::move(notes));
    result_.ok = false;
  }

  std::string_view text_;
  std::size_t begin_, at_;
  char quote_;
  bool strings_;
  Reporter& reporter_;
  Quoted result_;
};

}  // namespace

Quoted read_quoted(std::string_view text, std::size_t at, Reporter& reporter, bool strings) {
  return Reader(text, at, reporter, strings).run();
}

}  // namespace quench::parse
