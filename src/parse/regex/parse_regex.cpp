#include "parse/parse_regex.h"

#include <fmt/format.h>

#include <algorithm>

#include "parse/regex/tokens.h"
#include "parse/text/codes.h"
#include "parse/text/read_tokens.h"

namespace quench::parse {
namespace {

using Kind = RegexTokenKind;
using lang::Joined;
using lang::RegexId;

/// Two stacks, operands and what waits for them, as long as brackets are deep; no recursion. What joins two operands
/// associates to the right, which does not matter for the language and keeps long sequences cheap to work with.
class Parser {
 public:
  Parser(std::string_view text, const RegexLimits& limits, Reporter& reporter)
      : limits_(limits), reporter_(reporter), tokens_(tokenize_regex(text, limits, reporter)) {
    regex_.alphabet = tokens_.alphabet;
  }

  lang::Regex run() {
    for (const RegexToken& token : tokens_.tokens) {
      if (reporter_.full()) break;
      take(token);
      before_ = &token;
    }
    check_symbols();
    if (!operands_.empty()) regex_.root = operands_.back();
    return std::move(regex_);
  }

 private:
  /// What waits on the stack, by how tightly it binds.
  enum class Wait : std::uint8_t { bracket, either, both, sequence, all_but };
  struct Pending {
    Wait wait;
    const RegexToken* token;
  };

  void take(const RegexToken& token) {
    switch (token.kind) {
      case Kind::one_of:
        begin_operand(token);
        return operand(regex_.nodes.intern(token.one_of));
      case Kind::open:
        begin_operand(token);
        if (++depth_ == limits_.nesting + 1)
          reporter_.add(code::kRegexTooLarge, token.span,
                        fmt::format("brackets more than {} deep (the limit `nesting`)", limits_.nesting),
                        {"leave out brackets that only group what is grouped anyway; --limit nesting=N raises it"});
        pending_.push_back({Wait::bracket, &token});
        complete_ = false;
        return;
      case Kind::close:
        return close(token);
      case Kind::either:
      case Kind::both:
        need_operand(token);
        reduce(token.kind == Kind::either ? Wait::both : Wait::sequence);
        pending_.push_back({token.kind == Kind::either ? Wait::either : Wait::both, &token});
        complete_ = false;
        return;
      case Kind::all_but:
        begin_operand(token);
        pending_.push_back({Wait::all_but, &token});
        complete_ = false;
        return;
      case Kind::repeat:
        return repeat(token);
      case Kind::end:
        return end(token);
    }
  }

  /// Operands side by side stand one after the other.
  void begin_operand(const RegexToken& token) {
    if (complete_) {
      reduce(Wait::all_but);
      pending_.push_back({Wait::sequence, &token});
    }
    complete_ = false;
  }
  void operand(RegexId id) {
    operands_.push_back(id);
    complete_ = true;
  }

  /// Builds what waits and binds at least as tightly. Operators of one kind wait for each other: they associate to the
  /// right.
  void reduce(Wait least) {
    while (!pending_.empty() && pending_.back().wait >= least && pending_.back().wait != Wait::bracket) {
      const Wait wait = pending_.back().wait;
      pending_.pop_back();
      const RegexId right = operands_.back();
      operands_.pop_back();
      if (wait == Wait::all_but) {
        operands_.push_back(regex_.nodes.intern(lang::AllBut{right}));
        continue;
      }
      const Joined::Kind kind = wait == Wait::either ? Joined::Kind::either
                                : wait == Wait::both ? Joined::Kind::both
                                                     : Joined::Kind::sequence;
      operands_.back() = regex_.nodes.intern(Joined{kind, operands_.back(), right});
    }
  }

  /// Reports that an operand is missing, and puts the empty word in its place.
  void need_operand(const RegexToken& token) {
    if (complete_) return;
    const bool after_operator = before_ && before_->kind != Kind::open;
    const Span span = after_operator ? before_->span : token.span;
    reporter_.add(code::kRegexOperand, span,
                  fmt::format("{} lacks an expression {}", reporter_.quote(span),
                              after_operator ? "on its right" : "on its left"),
                  {"the empty word is written `()`, the sign itself in quotes"});
    operand(regex_.nodes.intern(lang::EmptyWord{}));
  }

  void close(const RegexToken& token) {
    if (depth_ == 0) {
      reporter_.add(code::kRegexUnmatched, token.span, "there is no `(` that this could close",
                    {"leave it out; the symbol is `')'`"});
      return;
    }
    if (!complete_ && before_ && before_->kind == Kind::open)
      operand(regex_.nodes.intern(lang::EmptyWord{}));
    else
      need_operand(token);
    reduce(Wait::either);
    pending_.pop_back();
    --depth_;
    complete_ = true;
  }

  void repeat(const RegexToken& token) {
    if (!complete_) {
      reporter_.add(code::kRegexNothingToRepeat, token.span,
                    fmt::format("{} repeats nothing", reporter_.quote(token.span)),
                    {"it stands after what it repeats, as in `a*`; the symbol is written in quotes"});
      return operand(regex_.nodes.intern(lang::EmptyWord{}));
    }
    // The operand before binds tighter than anything that waits.
    if (before_ && before_->kind == Kind::repeat && before_->span.end == token.span.begin && token.least == 0 &&
        token.most == 1 && reporter_.text(before_->span) != "?")
      reporter_.add(code::kRegexForeign, {before_->span.begin, token.span.end}, "there are no lazy repetitions",
                    {"an expression describes words, not how they are found; write `(…)?` for an optional repetition"});
    operands_.back() = regex_.nodes.intern(lang::Repeated{operands_.back(), token.least, token.most});
  }

  void end(const RegexToken& token) {
    if (tokens_.tokens.size() == 1) {
      if (reporter_.empty())
        reporter_.add(code::kRegexOperand, token.span, "there is no expression", {"the empty word is written `()`"});
      return;
    }
    if (!complete_ && before_ && before_->kind == Kind::open)
      operand(regex_.nodes.intern(lang::EmptyWord{}));  // the bracket is what is wrong
    need_operand(token);
    for (const Pending& pending : pending_)
      if (pending.wait == Wait::bracket)
        reporter_.add(code::kRegexUnclosed, pending.token->span, "this bracket is not closed",
                      {"add `)` where it ends; the symbol is `'('`"});
    for (reduce(Wait::either); !pending_.empty(); reduce(Wait::either)) pending_.pop_back();
  }

  void check_symbols() {
    for (std::size_t k = 0; k < tokens_.alphabet.size(); ++k)
      can_occur(tokens_.alphabet.symbols()[k], tokens_.alphabet, tokens_.symbol_spans[k], reporter_);
  }

  const RegexLimits& limits_;
  Reporter& reporter_;
  RegexTokens tokens_;
  lang::Regex regex_;
  std::vector<RegexId> operands_;
  std::vector<Pending> pending_;
  std::size_t depth_ = 0;
  bool complete_ = false;               // an operand ends here
  const RegexToken* before_ = nullptr;  // the token before
};

}  // namespace

ParsedRegex parse_regex(std::string_view text, const RegexLimits& limits) {
  Reporter reporter(text), none(text);
  ParsedRegex parsed;
  if (text.size() > limits.length) {
    reporter.add(code::kRegexTooLarge, {0, 0},
                 fmt::format("the text has more than {} bytes (the limit `length`)", limits.length),
                 {"give the automaton instead; --limit length=N raises it"});
  } else {
    lang::Regex regex = Parser(text, limits, reporter).run();
    if (reporter.empty()) parsed.regex = std::move(regex);
  }
  parsed.diagnostics = Reporter::merge(reporter, none);
  return parsed;
}

}  // namespace quench::parse
