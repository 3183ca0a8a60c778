// What stands right of `name(i) =`: attention (`rightmost j [j < i, p(j)] q(j) : false`), a sum, a mean, or an
// expression of one position.
#pragma once

#include <optional>
#include <string_view>

#include "lang/program.h"
#include "parse/program/checker.h"
#include "parse/program/grammar.h"
#include "parse/program/syntax.h"

namespace quench::parse {

class RightSide : ProgramGrammar {
 public:
  /// `position`: the variable of the left side.
  RightSide(Cursor& cursor, Reporter& reporter, lang::Program& program, SyntaxTree& tree, ProgramChecker& checker,
            std::string_view position)
      : ProgramGrammar(cursor, reporter), program_(program), tree_(tree), checker_(checker), variables_{position, {}} {}

  struct Defined {
    lang::Sort sort;
    lang::Definition definition;
  };
  /// Nothing: reported.
  std::optional<Defined> parse();

 private:
  struct Brackets {
    lang::Reach reach = lang::Reach::all;
    lang::ExpressionId score;
    Span span;
  };

  std::optional<SyntaxId> expression(bool inside_brackets = false);
  bool read_brackets(Brackets& brackets);
  std::optional<lang::Reach> mask(SyntaxId item) const;
  bool is_true(lang::ExpressionId id) const;
  lang::ExpressionId conjunction(lang::ExpressionId left, lang::ExpressionId right);
  std::optional<Defined> attention(TokenKind side, const Brackets& brackets);
  std::optional<Defined> sum(const Brackets& brackets);
  std::optional<Defined> mean(const Brackets& brackets);

  lang::Program& program_;
  SyntaxTree& tree_;
  ProgramChecker& checker_;
  ProgramChecker::Variables variables_;
};

}  // namespace quench::parse
