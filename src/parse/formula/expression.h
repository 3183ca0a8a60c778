// Formulas and terms by operator precedence, on an explicit stack: no nesting is too deep.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "parse/formula/builder.h"
#include "parse/formula/definitions.h"
#include "parse/text/cursor.h"

namespace quench::parse {

class ExpressionParser {
 public:
  ExpressionParser(Cursor& cursor, Builder& builder, lang::Formula& formula, Definitions& definitions,
                   Reporter& reporter)
      : cursor_(cursor), builder_(builder), formula_(formula), definitions_(definitions), reporter_(reporter) {}

  /// Reads one expression up to the end of its statement. Nothing (and reported) if its syntax is wrong.
  std::optional<Value> parse();
  /// How many brackets were open where reading stopped.
  std::size_t depth() const { return openers_.size(); }

 private:
  /// An operator or bracket that waits for what follows.
  struct Pending {
    enum class Kind : std::uint8_t {
      unary,
      positive,
      negative,
      unknown_prefix,  // before an operand
      binary,
      relation,
      add,
      subtract,
      multiply,
      unknown_infix,  // between two
      group,
      count,
      application,
      unknown_application,  // brackets
    };
    Kind kind;
    int level;  ///< how tightly it binds
    Span span;
    lang::Operator op{};
    lang::Relation relation{};
    lang::Scope scope{};
    lang::PredicateId predicate{};
    bool right_associative = false;
  };

  bool operand();
  bool operand_name(const Token& token);
  bool operand_predicate(const Token& token);
  bool operand_count(const Token& token);
  bool apply_or_push(lang::PredicateId predicate, Span span);
  bool infix();
  void push_infix(const Token& token);
  bool close(const Token& token);
  bool missing_operand(const Token& token);
  bool missing_operator(const Token& token);
  std::string repetition(const Token& token) const;
  bool unclosed();

  std::optional<Predicate> read_mod(Span& span);
  std::optional<std::int64_t> read_integer();

  void open(Pending::Kind kind, Span span, lang::Scope scope = {}, lang::PredicateId predicate = {});
  void push(Value value);
  Value pop();
  /// Applies every waiting operator that binds at least as tightly.
  void reduce(int level, bool right_associative);
  void apply(const Pending& pending);
  void report_unknown(const Token& token);
  std::vector<std::string_view> candidates() const;

  Cursor& cursor_;
  Builder& builder_;
  lang::Formula& formula_;
  Definitions& definitions_;
  Reporter& reporter_;
  std::vector<Pending> pending_;
  std::vector<std::size_t> openers_;  // where the brackets are in pending_
  std::vector<Value> values_;
  bool operand_expected_ = true;
};

}  // namespace quench::parse
