#include "parse/regex/tokens.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/text/utf8.h"
#include "parse/text/codes.h"
#include "parse/text/quoted.h"

namespace quench::parse {
namespace {

constexpr std::size_t kLargestRange = 10'000;  // symbols of a-z
constexpr std::string_view kBlanks = " \t\r\n\v\f";

class Tokenizer {
 public:
  Tokenizer(std::string_view text, const RegexLimits& limits, Reporter& reporter)
      : text_(text), limits_(limits), reporter_(reporter) {}

  RegexTokens run() {
    for (skip_blanks(); at_ < text_.size() && !reporter_.full(); skip_blanks()) token();
    add(RegexTokenKind::end, text_.size());
    return std::move(result_);
  }

 private:
  char here() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool begins(std::string_view sign) const { return text_.substr(at_).starts_with(sign); }
  void skip_blanks() {
    while (at_ < text_.size()) {
      if (begins("//"))
        at_ = std::min(text_.find('\n', at_), text_.size());
      else if (kBlanks.find(text_[at_]) != std::string_view::npos)
        ++at_;
      else
        return;
    }
  }
  RegexToken& add(RegexTokenKind kind, std::size_t begin) {
    result_.tokens.emplace_back();
    result_.tokens.back().kind = kind;
    result_.tokens.back().span = {begin, at_};
    return result_.tokens.back();
  }
  void sign(RegexTokenKind kind) {
    const std::size_t begin = at_++;
    add(kind, begin);
  }
  void repeat(std::uint32_t least, std::uint32_t most) {
    const std::size_t begin = at_++;
    RegexToken& token = add(RegexTokenKind::repeat, begin);
    token.least = least;
    token.most = most;
  }

  void token() {
    switch (text_[at_]) {
      case '(':
        return open();
      case ')':
        return sign(RegexTokenKind::close);
      case '|':
        return sign(RegexTokenKind::either);
      case '&':
        return sign(RegexTokenKind::both);
      case '~':
        return sign(RegexTokenKind::all_but);
      case '*':
        return repeat(0, lang::Repeated::kNoEnd);
      case '+':
        return repeat(1, lang::Repeated::kNoEnd);
      case '?':
        return repeat(0, 1);
      case '{':
        return counted();
      case '}':
        reporter_.add(code::kRegexRepetition, {at_, at_ + 1}, "there is no `{` that this could close",
                      {"a repetition is written `r{2}`, `r{2,}` or `r{2,5}`; the symbol is `'}'`"});
        ++at_;
        return;
      case '[':
        return set();
      case ']':
        reporter_.add(code::kRegexSet, {at_, at_ + 1}, "there is no `[` that this could close",
                      {"the symbol is `']'`"});
        ++at_;
        return;
      case '.': {
        const std::size_t begin = at_++;
        add(RegexTokenKind::one_of, begin).one_of.negated = true;
        return;
      }
      case '^':
      case '$':
        reporter_.add(code::kRegexForeign, {at_, at_ + 1}, "an expression always describes whole words",
                      {fmt::format("leave it out; `.*` stands for what comes before or after, and the symbol is `'{}'`",
                                   text_[at_])});
        ++at_;
        return;
      default: {
        const std::size_t begin = at_;
        const std::optional<std::string> symbol = read_symbol();
        RegexToken& token = add(RegexTokenKind::one_of, begin);
        if (symbol) token.one_of.symbols = {intern(*symbol, {begin, at_})};
      }
    }
  }

  void open() {
    if (text_.substr(at_ + 1).starts_with("?")) {
      reporter_.add(code::kRegexForeign, {at_, at_ + 2}, "there are no groups with special meanings",
                    {"brackets only group: write `(…)`"});
      const std::size_t begin = at_;
      at_ += 2;
      while (at_ < text_.size() && std::string_view(":=!<").find(text_[at_]) != std::string_view::npos) ++at_;
      add(RegexTokenKind::open, begin);
      return;
    }
    sign(RegexTokenKind::open);
  }

  Symbol intern(const std::string& symbol, Span span) {
    const Symbol number = result_.alphabet.intern(symbol);
    if (static_cast<std::size_t>(number) == result_.symbol_spans.size()) result_.symbol_spans.push_back(span);
    return number;
  }

  /// A symbol that stands for itself, in quotes, or after a backslash. Nothing if it was reported.
  std::optional<std::string> read_symbol() {
    if (text_[at_] == '\'' || text_[at_] == '"') {
      Quoted quoted = read_quoted(text_, at_, reporter_);
      at_ = quoted.end;
      if (!quoted.ok) return std::nullopt;
      return quoted.symbol;
    }
    const std::size_t begin = at_;
    if (text_[at_] == '\\') {
      if (++at_ == text_.size() || kBlanks.find(text_[at_]) != std::string_view::npos) return bad_escape(begin, "");
      const char c = text_[at_];
      if (c == 'n' || c == 't') {
        ++at_;
        return std::string(1, c == 'n' ? '\n' : '\t');
      }
      if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) {
        ++at_;
        return bad_escape(begin, c == 'd' ? "`[0-9]`" : c == 'w' ? "`[A-Za-z0-9_]`" : c == 's' ? "`' '`" : "");
      }
    }
    const Utf8Char character = decode_utf8(text_, at_);
    if (!character.valid) {
      reporter_.add(code::kInvalidUtf8, {at_, at_ + 1}, "this byte is not valid UTF-8", {"save the text as UTF-8"});
      at_ += character.length;
      return std::nullopt;
    }
    const std::string symbol(text_.substr(at_, character.length));
    at_ += character.length;
    return symbol;
  }

  std::nullopt_t bad_escape(std::size_t begin, std::string_view instead) {
    std::vector<std::string> notes;
    if (!instead.empty()) notes.push_back(fmt::format("write {}", instead));
    notes.emplace_back("a backslash makes a symbol of a sign, as in `\\*`; besides there are `\\n` and `\\t`");
    reporter_.add(code::kRegexForeign, {begin, at_}, "this escape has no meaning here", std::move(notes));
    return std::nullopt;
  }

  // {m}, {m,}, {m,n}
  void counted() {
    const std::size_t begin = at_++;
    const std::optional<std::uint64_t> least = number();
    std::optional<std::uint64_t> most = least;
    skip_blanks();
    if (least && here() == ',') {
      ++at_;
      skip_blanks();
      most = here() == '}' ? std::optional<std::uint64_t>(lang::Repeated::kNoEnd) : number();
      skip_blanks();
    }
    const bool closed = least && most && here() == '}';
    if (!closed) at_ = std::min(text_.find_first_of("}\n", at_), text_.size());
    if (here() == '}') ++at_;
    RegexToken& token = add(RegexTokenKind::repeat, begin);
    const bool endless = closed && *most == lang::Repeated::kNoEnd;
    if (!closed) {
      reporter_.add(code::kRegexRepetition, token.span, "this is not a repetition",
                    {"write `r{2}`, `r{2,}` or `r{2,5}`; the symbol is `'{'`"});
    } else if (*least > *most) {
      reporter_.add(code::kRegexRepetition, token.span, "the least number is larger than the most",
                    {fmt::format("write `{{{},{}}}`", *most, *least)});
    } else if (std::max(*least, endless ? 0 : *most) > limits_.repetition) {
      reporter_.add(code::kRegexTooLarge, token.span,
                    fmt::format("more than {} repetitions (the limit `repetition`)", limits_.repetition),
                    {"counting further makes automata with as many states; `r*` repeats any number of times",
                     "--limit repetition=N raises it"});
    } else {
      token.least = static_cast<std::uint32_t>(*least);
      token.most = static_cast<std::uint32_t>(*most);
    }
  }

  /// Digits, or nothing. Numbers beyond 2^31 stay there: they are over every limit.
  std::optional<std::uint64_t> number() {
    skip_blanks();
    const std::size_t begin = at_;
    std::uint64_t value = 0;
    for (; here() >= '0' && here() <= '9'; ++at_)
      value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(here() - '0'), 1u << 31);
    if (at_ == begin) return std::nullopt;
    return value;
  }

  // [abc], [a-z 'foo'], [^ab]
  void set() {
    const std::size_t begin = at_++;
    lang::OneOf set;
    if (here() == '^') {
      set.negated = true;
      ++at_;
    }
    bool ok = true;
    for (skip_blanks(); ok && at_ < text_.size() && here() != ']' && !reporter_.full(); skip_blanks()) ok = member(set);
    if (ok && here() != ']') {
      reporter_.add(code::kRegexSet, {begin, begin + 1}, "the set is not closed",
                    {"a set is written `[abc]`; the symbol is `'['`"});
    } else if (!ok) {
      at_ = std::min(text_.find(']', at_), text_.size());
    }
    if (here() == ']') ++at_;
    if (ok && set.symbols.empty() && at_ > 0 && text_[at_ - 1] == ']')
      reporter_.add(code::kRegexSet, {begin, at_}, "the set is empty",
                    {set.negated ? "any symbol at all is `.`" : "no word at all is `~(.*)`, the empty word `()`"});
    std::sort(set.symbols.begin(), set.symbols.end());
    set.symbols.erase(std::unique(set.symbols.begin(), set.symbols.end()), set.symbols.end());
    add(RegexTokenKind::one_of, begin).one_of = std::move(set);
  }

  /// A symbol or a range of a set. False if what was wrong makes the rest unreadable.
  bool member(lang::OneOf& set) {
    const std::size_t begin = at_;
    const std::optional<std::string> first = read_symbol();
    if (!first) return false;
    skip_blanks();
    if (here() != '-') {
      set.symbols.push_back(intern(*first, {begin, at_}));
      return true;
    }
    ++at_;
    skip_blanks();
    if (at_ == text_.size() || here() == ']') {
      reporter_.add(code::kRegexSet, {begin, at_}, "the range has no end",
                    {"a range is written `a-z`; the symbol `-` is `\\-`"});
      return false;
    }
    const std::optional<std::string> last = read_symbol();
    return last && add_range(set, *first, *last, {begin, at_});
  }

  bool add_range(lang::OneOf& set, const std::string& first, const std::string& last, Span span) {
    const Utf8Char from = decode_utf8(first, 0), to = decode_utf8(last, 0);
    if (from.length != first.size() || to.length != last.size() || from.code > to.code) {
      reporter_.add(code::kRegexSet, span, "this is not a range of characters",
                    {"a range is written `a-z`, from the smaller character to the larger"});
      return false;
    }
    if (to.code - from.code >= kLargestRange) {
      reporter_.add(code::kRegexTooLarge, span, fmt::format("more than {} symbols in one range", kLargestRange),
                    {"any symbol at all is `.`"});
      return false;
    }
    for (char32_t code = from.code; code <= to.code; ++code)
      if (code < 0xD800 || code > 0xDFFF) set.symbols.push_back(intern(encode_utf8(code), span));
    return true;
  }

  std::string_view text_;
  const RegexLimits& limits_;
  Reporter& reporter_;
  std::size_t at_ = 0;
  RegexTokens result_;
};

}  // namespace

RegexTokens tokenize_regex(std::string_view text, const RegexLimits& limits, Reporter& reporter) {
  return Tokenizer(text, limits, reporter).run();
}

}  // namespace quench::parse
