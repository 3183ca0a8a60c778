// The statements of a program: `fun f(x, y) = …`, `alphabet {'a', 'b'}`, vectors `name(i) = …`, and the scores of
// symbols `score['a'](i) = …`.
#include "parse/parse_program.h"

#include <string>
#include <utility>

#include "lang/print/print_program.h"
#include "parse/program/checker.h"
#include "parse/program/grammar.h"
#include "parse/program/program_spellings.h"
#include "parse/program/right_side.h"
#include "parse/program/syntax.h"
#include "parse/text/codes.h"
#include "parse/text/read_tokens.h"

namespace quench::parse {
namespace {

using lang::Sort;

class ProgramParser : ProgramGrammar {
 public:
  ProgramParser(const Tokens& tokens, Cursor& cursor, lang::Program& program, Reporter& reporter)
      : ProgramGrammar(cursor, reporter), program_(program), checker_(program, tree_, tokens, reporter) {
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

  std::optional<SyntaxId> expression(std::string_view position) {
    return ProgramExpressionParser(cursor_, tree_, reporter_, position, false).parse();
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
    const std::optional<SyntaxId> body = expression({});
    ProgramName& entry = checker_.names[std::string(reporter_.text(name->span))];
    entry.done = true;
    if (!body || !at_end_of_statement()) return false;
    definition.body = *body;
    entry.function = std::move(definition);
    return true;
  }

  /// `(i) =`
  bool arguments(std::string_view& position) {
    return expect(TokenKind::open_paren, "`(`") && variable(position) && expect(TokenKind::close_paren, "`)`") &&
           expect_equals();
  }

  bool vector() {
    const std::optional<Token> name = defined_name();
    if (!name) return false;
    std::string_view position;
    std::optional<RightSide::Defined> made;
    if (arguments(position)) made = RightSide(cursor_, reporter_, program_, tree_, checker_, position).parse();
    const std::string text(reporter_.text(name->span));
    ProgramName& entry = checker_.names[text];
    entry.done = true;
    if (!made) return false;
    last_ = entry.vector = program_.add(lang::Vector{text, made->sort, std::move(made->definition), name->span});
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
    std::string_view position;
    if (!arguments(position)) return false;
    const std::optional<SyntaxId> syntax = expression(position);
    const auto value = syntax ? checker_.check(*syntax, {position, {}}, Sort::score) : std::nullopt;
    if (!value) return false;
    const std::string& text = program_.alphabet.symbols()[static_cast<std::size_t>(symbol.symbol)];
    program_.scores.push_back(
        {symbol.symbol, program_.add(lang::Vector{"score[" + lang::quoted_symbol(text) + "]", Sort::score,
                                                  lang::Pointwise{*value}, whole.span})});
    return at_end_of_statement();
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

  lang::Program& program_;
  SyntaxTree tree_;
  ProgramChecker checker_;
  lang::VectorId last_;
};

}  // namespace

ParsedProgram parse_program(std::string_view text) {
  Reporter lexical(text), grammatical(text);
  ParsedProgram result;
  lang::Program program;
  if (const std::optional<Tokens> tokens = read_tokens(text, lexical, Dialect::program)) {
    program.alphabet = tokens->alphabet;
    Cursor cursor(tokens->tokens);
    ProgramParser(*tokens, cursor, program, grammatical).run(lexical.empty());
  }
  result.diagnostics = Reporter::merge(lexical, grammatical);
  if (result.diagnostics.empty()) result.program = std::move(program);
  return result;
}

}  // namespace quench::parse
