// The statements of a program: `fun f(x, y) = …`, `alphabet {'a', 'b'}`, vectors `name(i) = …`, and the scores of
// symbols `score['a'](i) = …`.
#include "parse/parse_program.h"

#include <string>
#include <utility>

#include "lang/print/print_program.h"
#include "parse/program/checker.h"
#include "parse/program/program_spellings.h"
#include "parse/program/syntax.h"
#include "parse/text/codes.h"
#include "parse/text/read_tokens.h"

namespace quench::parse {
namespace {

using lang::At;
using lang::ExpressionId;
using lang::Sort;

class ProgramParser {
 public:
  ProgramParser(const Tokens& tokens, lang::Program& program, Reporter& reporter)
      : cursor_(tokens.tokens), program_(program), reporter_(reporter), checker_(program, tree_, tokens, reporter) {
    announce(tokens.tokens);
  }

  /// `readable`: every token could be read, so that what is missing is missing in the text.
  void run(bool readable) {
    while (!cursor_.at_end() && !reporter_.full()) {
      switch (cursor_.here().kind) {
        case TokenKind::newline:
        case TokenKind::semicolon:
          cursor_.advance();
          break;
        case TokenKind::fun:
          if (!function()) recover();
          break;
        case TokenKind::alphabet:
          cursor_.advance();
          if (!read_symbol_set(cursor_, reporter_) || !at_end_of_statement()) recover();
          break;
        default:
          if (!(at_score() ? symbol_score() : vector())) recover();
      }
    }
    if (reporter_.empty() && readable) choose_output();
  }

 private:
  /// Notes every name that some statement defines.
  void announce(const std::vector<Token>& tokens) {
    for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
      const bool begins = k == 0 || tokens[k - 1].kind == TokenKind::newline ||
                          tokens[k - 1].kind == TokenKind::semicolon || tokens[k - 1].kind == TokenKind::fun;
      if (begins && tokens[k].kind == TokenKind::name && tokens[k + 1].kind == TokenKind::open_paren)
        checker_.names.try_emplace(std::string(reporter_.text(tokens[k].span)),
                                   ProgramName{tokens[k].span, false, {}, {}});
    }
  }

  /// To the next line; a bracket left open does not swallow the rest of the text.
  void recover() {
    while (!cursor_.at_end() && cursor_.here().kind != TokenKind::newline &&
           cursor_.here().kind != TokenKind::semicolon)
      cursor_.advance();
  }

  bool expect(TokenKind kind, const char* what) {
    if (cursor_.here().kind == kind) return cursor_.advance(), true;
    return malformed(std::string("expected ") + what + ", found " + reporter_.quote(cursor_.here().span));
  }
  bool expect_equals() {
    const Token& token = cursor_.here();
    if (token.kind == TokenKind::relation && token.relation == lang::Relation::equal) return cursor_.advance(), true;
    return malformed("expected `=`, found " + reporter_.quote(token.span));
  }
  bool malformed(std::string message) {
    if (cursor_.here().kind != TokenKind::broken)
      reporter_.add(code::kMalformedDefinition, cursor_.here().span, std::move(message),
                    {"a program consists of definitions: `name(i) = …`, `fun f(x) = …`"});
    return false;
  }
  bool at_end_of_statement() {
    const TokenKind kind = cursor_.here().kind;
    if (kind == TokenKind::newline || kind == TokenKind::semicolon || kind == TokenKind::end) return true;
    return malformed("expected the end of the line, found " + reporter_.quote(cursor_.here().span));
  }

  /// A name that may be defined here.
  std::optional<Token> defined_name() {
    const Token token = cursor_.here();
    const std::string_view text = reporter_.text(token.span);
    if (token.kind != TokenKind::name || text == "in" || text == "pos") {
      if (text == "in" || text == "pos" || find_program_word(text) || token.kind == TokenKind::symbol)
        reporter_.add(code::kReservedName, token.span, reporter_.quote(token.span) + " is a word of the language",
                      {"choose another name"});
      else
        malformed("expected a name, found " + reporter_.quote(token.span));
      return std::nullopt;
    }
    const ProgramName& entry = checker_.names[std::string(text)];
    cursor_.advance();
    if (!entry.done) return token;
    reporter_.add(code::kRedefinition, token.span, reporter_.quote(token.span) + " is defined twice",
                  {"it is first defined at " + reporter_.place(entry.span.begin)});
    return std::nullopt;
  }

  bool variable(std::string_view& name) {
    const Token token = cursor_.here();
    if (!expect(TokenKind::name, "the name of a position, such as `i`")) return false;
    name = reporter_.text(token.span);
    return true;
  }

  std::optional<SyntaxId> expression(bool inside_brackets = false) {
    return ProgramExpressionParser(cursor_, tree_, reporter_, variables_.position, inside_brackets).parse();
  }

  bool function() {
    cursor_.advance();
    const std::optional<Token> name = defined_name();
    if (!name || !expect(TokenKind::open_paren, "`(`")) return false;
    FunctionDefinition definition{name->span, {}, {}};
    do {
      definition.parameters.emplace_back();
      const Token token = cursor_.here();
      if (!expect(TokenKind::name, "a parameter")) return false;
      definition.parameters.back() = reporter_.text(token.span);
    } while (cursor_.here().kind == TokenKind::comma && (cursor_.advance(), true));
    if (!expect(TokenKind::close_paren, "`)`") || !expect_equals()) return false;
    variables_ = {};
    const std::optional<SyntaxId> body = expression();
    ProgramName& entry = checker_.names[std::string(reporter_.text(name->span))];
    entry.done = true;
    if (!body || !at_end_of_statement()) return false;
    definition.body = *body;
    entry.function = std::move(definition);
    return true;
  }

  bool vector() {
    const std::optional<Token> name = defined_name();
    if (!name) return false;
    variables_ = {};
    const bool well_formed = expect(TokenKind::open_paren, "`(`") && variable(variables_.position) &&
                             expect(TokenKind::close_paren, "`)`") && expect_equals();
    std::optional<lang::VectorId> made;
    if (well_formed) made = right_side(*name);
    ProgramName& entry = checker_.names[std::string(reporter_.text(name->span))];
    entry.done = true;
    if (!made) return false;
    entry.vector = *made;
    last_ = *made;
    return at_end_of_statement();
  }

  bool at_score() const {
    return cursor_.here().kind == TokenKind::name && reporter_.text(cursor_.here().span) == "score" &&
           cursor_.after().kind == TokenKind::open_bracket;
  }

  /// `score['a'](i) = …`
  bool symbol_score() {
    const Token name = cursor_.here();
    cursor_.advance();
    cursor_.advance();
    const Token symbol = cursor_.here();
    if (!expect(TokenKind::symbol, "a symbol in quotes") || !expect(TokenKind::close_bracket, "`]`")) return false;
    const Token whole{.kind = TokenKind::name, .span = {name.span.begin, cursor_.before().span.end}};
    for (const lang::SymbolScore& other : program_.scores)
      if (other.symbol == symbol.symbol) {
        reporter_.add(code::kRedefinition, whole.span, reporter_.quote(whole.span) + " is defined twice",
                      {"it is first defined at " + reporter_.place(program_[other.vector].span.begin)});
        return false;
      }
    variables_ = {};
    if (!expect(TokenKind::open_paren, "`(`") || !variable(variables_.position) ||
        !expect(TokenKind::close_paren, "`)`") || !expect_equals())
      return false;
    const std::optional<SyntaxId> syntax = expression();
    const auto value = syntax ? checker_.check(*syntax, variables_, Sort::score) : std::nullopt;
    if (!value) return false;
    const std::string& text = program_.alphabet.symbols()[static_cast<std::size_t>(symbol.symbol)];
    program_.scores.push_back(
        {symbol.symbol, program_.add(lang::Vector{"score[" + lang::quoted_symbol(text) + "]", Sort::score,
                                                  lang::Pointwise{*value}, whole.span})});
    return at_end_of_statement();
  }

  std::optional<lang::VectorId> right_side(const Token& name) {
    const Token token = cursor_.peek(false, true);
    const bool mean = token.kind == TokenKind::name && reporter_.text(token.span) == "mean" &&
                      cursor_.after().kind == TokenKind::name;
    if (mean || token.kind == TokenKind::leftmost || token.kind == TokenKind::rightmost ||
        token.kind == TokenKind::psum) {
      cursor_.advance();
      Brackets brackets;
      if (!variable(variables_.binder) || !read_brackets(brackets)) return std::nullopt;
      if (mean) return this->mean(name, brackets);
      return token.kind == TokenKind::psum ? sum(name, brackets) : attention(name, token.kind, brackets);
    }
    const std::optional<SyntaxId> syntax = expression();
    const auto value = syntax ? checker_.check(*syntax, variables_) : std::nullopt;
    if (!value) return std::nullopt;
    return define(name, program_.sort(*value), lang::Pointwise{*value});
  }

  lang::VectorId define(const Token& name, Sort sort, lang::Definition d) {
    return program_.add(lang::Vector{std::string(reporter_.text(name.span)), sort, std::move(d), name.span});
  }

  struct Brackets {
    lang::Reach reach = lang::Reach::all;
    ExpressionId score;
    Span span;
  };

  /// `[j < i, S(i,j), …]`: a mask, if there is one, comes first.
  bool read_brackets(Brackets& brackets) {
    brackets.span = cursor_.here().span;
    if (cursor_.here().kind != TokenKind::open_bracket) {
      reporter_.add(code::kMalformedAttention, cursor_.here().span,
                    "expected `[`, found " + reporter_.quote(cursor_.here().span),
                    {"attention is `rightmost j [j < i, p(j)] q(j) : false`"});
      return false;
    }
    cursor_.advance();
    brackets.score = program_.add(lang::BooleanConstant{true}, brackets.span);
    bool first = true, fine = true;
    while (cursor_.peek(true, true).kind != TokenKind::close_bracket) {
      if (!first && !expect(TokenKind::comma, "`,` or `]`")) return false;
      const std::optional<SyntaxId> item = expression(true);
      if (!item) return false;
      if (const auto reach = mask(*item); reach && first) {
        brackets.reach = *reach;
      } else {
        const auto condition = checker_.check(*item, variables_, Sort::boolean);
        fine = fine && condition;
        if (condition) brackets.score = conjunction(brackets.score, *condition);
      }
      first = false;
    }
    cursor_.advance();
    return fine;
  }

  bool is_true(ExpressionId id) const {
    const auto* constant = std::get_if<lang::BooleanConstant>(&program_[id]);
    return constant && constant->value;
  }
  ExpressionId conjunction(ExpressionId left, ExpressionId right) {
    if (is_true(left)) return right;
    if (is_true(right)) return left;
    return program_.add(lang::Connection{lang::Connective::and_, left, right}, program_.span(right));
  }

  /// A comparison of the two position variables.
  std::optional<lang::Reach> mask(SyntaxId item) const {
    const Syntax& node = tree_[item];
    if (node.kind != Syntax::Kind::relation) return std::nullopt;
    const Syntax &left = tree_[node.args[0]], &right = tree_[node.args[1]];
    if (left.kind != Syntax::Kind::name || right.kind != Syntax::Kind::name) return std::nullopt;
    const std::string_view a = reporter_.text(left.span), b = reporter_.text(right.span);
    if (a == variables_.binder && b == variables_.position) return reach_of(node.relation, true);
    if (b == variables_.binder && a == variables_.position) return reach_of(node.relation, false);
    return std::nullopt;
  }

  std::optional<lang::VectorId> attention(const Token& name, TokenKind side, const Brackets& brackets) {
    const std::optional<SyntaxId> value_syntax = expression();
    if (!value_syntax) return std::nullopt;
    if (cursor_.peek(false, false).kind != TokenKind::colon) {
      reporter_.add(code::kMissingDefault, tree_[*value_syntax].span, "what if no position fits? A default is missing",
                    {"write it after a colon: `rightmost j [j < i, p(j)] q(j) : false`"});
      return std::nullopt;
    }
    cursor_.advance();
    const std::optional<SyntaxId> default_syntax = expression();
    if (!default_syntax) return std::nullopt;
    auto value = checker_.check(*value_syntax, variables_);
    auto otherwise = checker_.check(*default_syntax, {variables_.position, {}});
    if (!value || !otherwise) return std::nullopt;
    const Span span{tree_[*value_syntax].span.begin, tree_[*default_syntax].span.end};
    if (!checker_.unify(*value, *otherwise, span)) return std::nullopt;
    if (program_.sort(*value) == Sort::score) {
      reporter_.add(code::kScore, span, "attention does not retrieve scores",
                    {"retrieve what the score depends on, and choose the score by it"});
      return std::nullopt;
    }
    return define(name, program_.sort(*value),
                  lang::Attention{side == TokenKind::leftmost ? lang::Side::leftmost : lang::Side::rightmost,
                                  brackets.reach, brackets.score, *value, *otherwise});
  }

  /// `psum j [j <= i, S(j)] V(j)`: a position that does not satisfy S adds 0.
  std::optional<lang::VectorId> sum(const Token& name, const Brackets& brackets) {
    const std::optional<SyntaxId> syntax = expression();
    auto value = syntax ? checker_.check(*syntax, variables_, Sort::integer) : std::nullopt;
    if (!value) return std::nullopt;
    if (program_.reads(*value, At::i) || program_.reads(brackets.score, At::i)) {
      reporter_.add(code::kPosition, tree_[*syntax].span, "a sum may only look at the position summed over",
                    {"write `in(j)`, not `in(i)`, in `psum j [j <= i] …`"});
      return std::nullopt;
    }
    if (!is_true(brackets.score))
      value = program_.add(lang::Choice{brackets.score, *value, program_.add(lang::IntegerConstant{0})}, brackets.span);
    return define(name, Sort::integer, lang::SumOver{brackets.reach, *value});
  }

  /// `mean j [j <= i] V(j)`, V a Boolean.
  std::optional<lang::VectorId> mean(const Token& name, const Brackets& brackets) {
    const std::optional<SyntaxId> syntax = expression();
    const auto value = syntax ? checker_.check(*syntax, variables_, Sort::boolean) : std::nullopt;
    if (!value) return std::nullopt;
    if (program_.reads(*value, At::i)) {
      reporter_.add(code::kPosition, tree_[*syntax].span, "a mean may only look at the position it runs over",
                    {"write `in(j)`, not `in(i)`, in `mean j [j <= i] …`"});
      return std::nullopt;
    }
    const bool strict = brackets.reach == lang::Reach::before || brackets.reach == lang::Reach::after;
    if (strict || !is_true(brackets.score)) {
      reporter_.add(code::kMalformedAttention, brackets.span, "a mean is over `j <= i`, `j >= i` or all positions",
                    {"over `j < i` there may be none; conditions belong to what is averaged"});
      return std::nullopt;
    }
    return define(name, Sort::score, lang::Mean{brackets.reach, *value});
  }

  void choose_output() {
    if (!program_.scores.empty()) {
      program_.output = program_.scores.front().vector;
      const auto named = checker_.names.find("out");
      if (named != checker_.names.end())
        reporter_.add(code::kScore, named->second.span, "the program puts out scores, and `out` besides",
                      {"name this vector otherwise, or leave the scores out"});
      return;
    }
    const auto out = checker_.names.find("out");
    program_.output = out != checker_.names.end() && out->second.vector.valid() ? out->second.vector : last_;
    if (program_.output.valid()) return;
    const std::size_t end = reporter_.text().size();
    reporter_.add(code::kNoVector, {end, end}, "the program defines no vector",
                  {"the output is the vector `out`, or the last one: `out(i) = Q_a(i)`"});
  }

  Cursor cursor_;
  lang::Program& program_;
  Reporter& reporter_;
  SyntaxTree tree_;
  ProgramChecker checker_;
  ProgramChecker::Variables variables_;
  lang::VectorId last_;
};

}  // namespace

ParsedProgram parse_program(std::string_view text) {
  Reporter lexical(text), grammatical(text);
  ParsedProgram result;
  lang::Program program;
  if (const std::optional<Tokens> tokens = read_tokens(text, lexical, Dialect::program)) {
    program.alphabet = tokens->alphabet;
    ProgramParser(*tokens, program, grammatical).run(lexical.empty());
  }
  result.diagnostics = Reporter::merge(lexical, grammatical);
  if (result.diagnostics.empty()) result.program = std::move(program);
  return result;
}

}  // namespace quench::parse
