#include "parse/parse_formula.h"

#include <algorithm>
#include <string>
#include <utility>

#include "base/text/suggest.h"
#include "base/text/utf8.h"
#include "lang/canonical.h"
#include "parse/formula/builder.h"
#include "parse/formula/expression.h"
#include "parse/formula/predicate_parser.h"
#include "parse/text/codes.h"
#include "parse/text/cursor.h"
#include "parse/text/lexer.h"
#include "parse/text/read_tokens.h"
#include "parse/text/spellings.h"

namespace quench::parse {
namespace {

/// The statements of a text, one after the other.
class StatementParser {
 public:
  StatementParser(const Tokens& tokens, lang::Formula& formula, Reporter& reporter)
      : cursor_(tokens.tokens), builder_(formula, reporter), formula_(formula), reporter_(reporter) {
    announce(tokens.tokens);
  }

  /// The symbols that the text declares, by number; none if it declares no alphabet.
  const std::optional<std::vector<bool>>& declared() const { return declared_; }

  void run() {
    while (!cursor_.at_end() && !reporter_.full()) {
      switch (cursor_.here().kind) {
        case TokenKind::newline:
        case TokenKind::semicolon:
          cursor_.advance();
          break;
        case TokenKind::let:
          let();
          break;
        case TokenKind::pred:
          pred();
          break;
        case TokenKind::alphabet:
          alphabet();
          break;
        default:
          result_ = expression();
          result_given_ = true;
      }
    }
    take_result();
    // A constant is printed as it is: what a name stands for may have become one (#<[Q_a] - #<[Q_a]).
    for (const auto& [name, term] : named_terms_)
      if (term->interned.valid() && !formula_[term->interned].parts.empty()) formula_.names.give(term->interned, name);
  }

 private:
  /// Notes every name the text defines, so that a use that comes too early can be told from a misspelling.
  void announce(const std::vector<Token>& tokens) {
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
      const bool defines = tokens[k].kind == TokenKind::let || tokens[k].kind == TokenKind::pred;
      if (!defines || tokens[k + 1].kind != TokenKind::name) continue;
      Definition definition;
      definition.span = tokens[k + 1].span;
      definitions_.try_emplace(std::string(reporter_.text(definition.span)), std::move(definition));
    }
  }

  std::optional<Value> expression() {
    ExpressionParser parser(cursor_, builder_, formula_, definitions_, reporter_);
    std::optional<Value> value = parser.parse();
    if (!value) cursor_.recover(parser.depth());
    return value;
  }

  void let() {
    const Span keyword = cursor_.here().span;
    cursor_.advance();
    const Token name = cursor_.here();
    if (!may_define(name, code::kMalformedLet, "let")) return cursor_.recover(0);
    cursor_.advance();
    const Token& sign = cursor_.here();
    if (sign.kind != TokenKind::relation || sign.relation != lang::Relation::equal) {
      reporter_.add(code::kMalformedLet,
                    sign.kind == TokenKind::newline || sign.kind == TokenKind::end ? keyword : sign.span,
                    "expected `=` after " + reporter_.quote(name.span) + ", found " + reporter_.quote(sign.span),
                    {"a definition is `let name = …`; predicates with parameters are defined by `pred`"});
      define(name, {});
      return cursor_.recover(0);
    }
    cursor_.advance();
    Definition definition;
    if (std::optional<Value> value = expression()) definition.value = std::move(*value);
    if (definition.value.sort == Sort::formula)
      formula_.names.give(definition.value.formula, std::string(reporter_.text(name.span)));
    if (definition.value.sort == Sort::term && !definition.value.term->parts.empty())
      named_terms_.push_back({std::string(reporter_.text(name.span)), definition.value.term});
    define(name, std::move(definition));
  }

  void pred() {
    cursor_.advance();
    const Token name = cursor_.here();
    if (!may_define(name, code::kMalformedPred, "pred")) return cursor_.recover(0);
    cursor_.advance();
    PredicateParser parser(cursor_, reporter_);
    Definition definition;
    definition.predicate = parser.parse(reporter_.text(name.span));
    const TokenKind end = cursor_.here().kind;
    if (!definition.predicate) {
      cursor_.recover(parser.depth());
    } else if (!ends_statement(end) && end != TokenKind::newline) {
      reporter_.add(code::kMalformedPred, cursor_.here().span,
                    "expected the end of the line, found " + reporter_.quote(cursor_.here().span),
                    {"statements are separated by a new line or `;`"});
      cursor_.recover(0);
    }
    define(name, std::move(definition));
  }

  /// alphabet {a, b, '('}
  void alphabet() {
    const Span keyword = cursor_.here().span;
    cursor_.advance();
    const auto malformed = [&](Span span, std::string message) {
      reporter_.add(code::kAlphabet, span, std::move(message),
                    {"an alphabet is declared once, by `alphabet {a, b, '('}`"});
      cursor_.recover(0);
    };
    if (declared_) return malformed(keyword, "the alphabet is declared twice");
    declared_.emplace();
    cursor_.peek(true, true);
    for (TokenKind expected = TokenKind::open_brace;
         cursor_.here().kind != TokenKind::close_brace || declared_->empty(); expected = TokenKind::comma) {
      const Span mark = cursor_.peek(true, true).span;
      if (cursor_.here().kind != expected)
        return malformed(ends_statement(cursor_.here().kind) ? keyword : mark,
                         "this is not how an alphabet is declared");
      cursor_.advance();
      const Token& symbol = cursor_.peek(true, true);
      if (symbol.kind != TokenKind::symbol)
        return malformed(ends_statement(symbol.kind) ? keyword : symbol.span, "a symbol is missing here");
      const auto number = static_cast<std::size_t>(symbol.symbol);
      if (declared_->size() <= number) declared_->resize(number + 1);
      (*declared_)[number] = true;
      cursor_.advance();
      cursor_.peek(true, true);
    }
    cursor_.advance();
  }

  bool may_define(const Token& name, const char* malformed, const std::string& keyword) {
    const std::string quoted = reporter_.quote(name.span);
    if (name.kind == TokenKind::symbol || name.kind == TokenKind::let || name.kind == TokenKind::pred ||
        (name.kind != TokenKind::name && find_word(reporter_.text(name.span)))) {
      reporter_.add(code::kReservedName, name.span, quoted + " is a word of the language and cannot be redefined",
                    {"choose another name; `quench explain E016` lists the words"});
      return false;
    }
    if (name.kind == TokenKind::broken) return false;
    if (name.kind != TokenKind::name) {
      reporter_.add(malformed, name.span, "expected a name after `" + keyword + "`, found " + quoted,
                    {keyword == "let" ? "a definition is `let name = …`"
                                      : "a predicate is `pred p = {1, 4, 9}` or `pred q(x, n) = x*x <= n`"});
      return false;
    }
    return true;
  }

  void define(const Token& name, Definition definition) {
    Definition& entry = definitions_[std::string(reporter_.text(name.span))];
    if (entry.done) {
      reporter_.add(code::kRedefinition, name.span, reporter_.quote(name.span) + " is defined twice",
                    {"it is first defined at " + reporter_.place(entry.span.begin)});
      return;
    }
    definition.span = name.span;
    definition.done = true;
    entry = std::move(definition);
  }

  void take_result() {
    if (!reporter_.empty()) return;
    if (!result_given_) {
      const std::size_t end = reporter_.text().size();
      reporter_.add(
          code::kNoResult, {end, end}, "the text has no result",
          {definitions_.empty() ? "write a formula, such as `Q_a S Q_b`"
                                : "after the definitions, write the formula that is meant, such as a defined name"});
    } else if (result_ && result_->sort == Sort::term) {
      reporter_.add(code::kFormulaNeeded, result_->span, "the result must be a formula, but this is a number",
                    {"compare it to make a formula, as in `#<[Q_a] >= 1`"});
    } else if (result_) {
      formula_.root = result_->formula;
    }
  }

  Cursor cursor_;
  Builder builder_;
  lang::Formula& formula_;
  Reporter& reporter_;
  Definitions definitions_;
  std::optional<std::vector<bool>> declared_;
  std::vector<std::pair<std::string, std::shared_ptr<LinearTerm>>> named_terms_;
  std::optional<Value> result_;
  bool result_given_ = false;
};

/// A symbol that is mentioned has to be one of a declared alphabet.
void check_declared(const Tokens& tokens, const std::vector<bool>& declared, Reporter& reporter) {
  std::vector<std::string_view> known;
  for (std::size_t k = 0; k < declared.size(); ++k)
    if (declared[k]) known.push_back(tokens.alphabet.symbols()[k]);
  for (std::size_t k = 0; k < tokens.alphabet.size(); ++k) {
    if (k < declared.size() && declared[k]) continue;
    const std::string meant = nearest(tokens.alphabet.symbols()[k], known);
    reporter.add(code::kAlphabet, tokens.symbol_spans[k],
                 "the symbol " + reporter.quote(tokens.symbol_spans[k]) + " is not in the declared alphabet",
                 {meant.empty() ? "add it to `alphabet {…}`" : "did you mean `" + meant + "`?"});
  }
}

/// A line that is a regular expression is that and nothing else: its letters are no misspelt names.
std::vector<Diagnostic> without_names_of_regex(std::vector<Diagnostic> all, std::string_view text) {
  std::vector<std::size_t> lines;
  for (const Diagnostic& one : all)
    if (one.code == code::kRegularExpression) lines.push_back(place_of(text, one.span.begin).line);
  std::erase_if(all, [&](const Diagnostic& one) {
    return one.code != code::kRegularExpression &&
           std::find(lines.begin(), lines.end(), place_of(text, one.span.begin).line) != lines.end();
  });
  return all;
}

}  // namespace

ParsedFormula parse_formula(std::string_view text) {
  // Each phase has its own limit, so that the first mistakes of the text are among those kept.
  Reporter lexical(text), grammatical(text);
  ParsedFormula result;
  lang::Formula formula;
  std::optional<Tokens> tokens = read_tokens(text, lexical, Dialect::formula);
  if (tokens) {
    StatementParser parser(*tokens, formula, grammatical);
    parser.run();
    formula.closed = parser.declared().has_value();
    if (formula.closed && grammatical.empty()) check_declared(*tokens, *parser.declared(), grammatical);
  }
  result.diagnostics = without_names_of_regex(Reporter::merge(lexical, grammatical), text);
  if (result.diagnostics.empty()) {
    formula.alphabet = std::move(tokens->alphabet);
    result.formula = lang::canonical(formula);
  }
  return result;
}

}  // namespace quench::parse
