// Expressions of programs as written: a tree before names are resolved and sorts are checked, and its parser by
// operator precedence on an explicit stack.
#pragma once

#include <optional>
#include <vector>

#include "base/id.h"
#include "lang/program.h"
#include "parse/text/cursor.h"
#include "parse/text/lexer.h"
#include "parse/text/reporter.h"

namespace quench::parse {

struct SyntaxTag;
using SyntaxId = Id<SyntaxTag>;

struct Syntax {
  enum class Kind : std::uint8_t {
    truth,
    symbol,
    string,
    number,
    decimal,
    name,         // a position variable or a parameter
    call,         // name(args)
    symbol_test,  // Q_a(arg)
    negation,
    connective,
    relation,
    member,
    sum,
    difference,
    product,
    minus,
    choice,
    count,   // #[reach] arg
    broken,  // reported
  };
  Kind kind = Kind::broken;
  Span span;
  Span mark;                   ///< of the operator, or of the name called
  std::vector<SyntaxId> args;  ///< operands come before their users
  lang::Connective connective{};
  lang::Relation relation{};
  lang::Reach reach{};          ///< of a count
  std::string_view binder;      ///< of a count: the variable it binds
  std::vector<Symbol> symbols;  ///< of member, symbol and symbol_test
  std::uint64_t number = 0;     ///< of number, decimal, truth and string
};

class SyntaxTree {
 public:
  SyntaxId add(Syntax node) {
    nodes_.push_back(std::move(node));
    return SyntaxId(nodes_.size() - 1);
  }
  const Syntax& operator[](SyntaxId id) const { return nodes_[id.index]; }
  Syntax& operator[](SyntaxId id) { return nodes_[id.index]; }
  std::size_t size() const { return nodes_.size(); }

 private:
  std::vector<Syntax> nodes_;
};

class ProgramExpressionParser {
 public:
  /// `variable` is the position variable of the definition being read, for the masks of counts; may be empty.
  ProgramExpressionParser(Cursor& cursor, SyntaxTree& tree, Reporter& reporter, std::string_view variable,
                          bool inside_brackets)
      : cursor_(cursor), tree_(tree), reporter_(reporter), variable_(variable), inside_(inside_brackets) {}

  /// Reads one expression, up to a `:`, `,` or closing bracket that is not its own, or the end of the statement.
  std::optional<SyntaxId> parse();

 private:
  struct Pending {
    enum class Kind : std::uint8_t {
      prefix,
      infix,
      question,
      otherwise,  // p ? … and p ? x : …
      group,
      call,
      symbol_test,
    };
    Kind kind;
    int level;
    Syntax node;                  ///< its arguments are still to come
    std::size_t first_value = 0;  ///< of a bracket: how many values there were before it
  };

  bool operand();
  bool operand_name(const Token& token);
  bool operand_symbol(const Token& token);
  bool operand_count(const Token& token);
  bool infix(bool& finished);
  bool infix_operator(const Token& token);
  bool membership();
  bool colon(bool& finished);
  bool comma(bool& finished);
  bool close(const Token& token, bool& finished);
  bool missing_operand(const Token& token);
  bool missing_operator(const Token& token);
  bool unclosed();

  const Token& peek() { return cursor_.peek(inside_ || !openers_.empty(), operand_expected_); }
  void open(Pending::Kind kind, Syntax node);
  void leaf(Syntax node);
  void wait(Pending::Kind kind, int level, Syntax node);
  void reduce(int level, bool right_associative);
  void apply(Pending pending);
  SyntaxId pop();

  Cursor& cursor_;
  SyntaxTree& tree_;
  Reporter& reporter_;
  std::string_view variable_;
  bool inside_;
  std::vector<Pending> pending_;
  std::vector<std::size_t> openers_;  // where the brackets are in pending_
  std::vector<SyntaxId> values_;
  bool operand_expected_ = true;
};

/// M(i,j) from a comparison of the two position variables: `j < i`, `i > j`, …; nothing for = and ≠.
std::optional<lang::Reach> reach_of(lang::Relation relation, bool binder_on_the_left);
/// `{'a', 'b'}`, the brace being here. Nothing (and reported) if it is malformed.
std::optional<std::vector<Symbol>> read_symbol_set(Cursor& cursor, Reporter& reporter);

}  // namespace quench::parse
