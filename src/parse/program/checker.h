// From syntax to expressions of a program: names are resolved, functions expanded, sorts checked.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lang/program.h"
#include "parse/program/syntax.h"
#include "parse/text/reporter.h"

namespace quench::parse {

struct FunctionDefinition {
  Span name;
  std::vector<std::string_view> parameters;
  SyntaxId body;
};

/// What a name of the text stands for. Announced first, so that a use too early can be told from a misspelling.
struct ProgramName {
  Span span;
  bool done = false;
  lang::VectorId vector;  ///< valid if it is a vector
  std::optional<FunctionDefinition> function;
};

class ProgramChecker {
 public:
  ProgramChecker(lang::Program& program, const SyntaxTree& tree, const Tokens& tokens, Reporter& reporter)
      : program_(program), tree_(tree), tokens_(tokens), reporter_(reporter) {}

  std::unordered_map<std::string, ProgramName> names;

  /// The position variables of the definition being checked; `binder` is empty outside attention.
  struct Variables {
    std::string_view position, binder;
  };
  /// An expression, or nothing (and reported).
  std::optional<lang::ExpressionId> check(SyntaxId syntax, const Variables& variables);
  /// The same, which must be of the sort.
  std::optional<lang::ExpressionId> check(SyntaxId syntax, const Variables& variables, lang::Sort sort);
  /// Makes both of one sort: Booleans become integers, symbols strings, where the other is. Reports if they differ.
  bool unify(lang::ExpressionId& left, lang::ExpressionId& right, Span span);
  std::optional<lang::ExpressionId> coerce(lang::ExpressionId id, lang::Sort sort, Span span);

 private:
  /// What a piece of syntax stands for.
  struct Meaning {
    enum class Kind : std::uint8_t { broken, expression, position } kind = Kind::broken;
    lang::ExpressionId id;
    lang::At at{};
  };
  /// One expression or function body that is being walked through.
  struct Frame {
    Variables variables;
    std::vector<std::pair<std::string_view, Meaning>> parameters;
    int depth = 0;
    std::size_t defined_at = SIZE_MAX;  ///< of a body: where its function is; it may only call earlier ones
  };

  Meaning walk(SyntaxId root, const Frame& frame);
  Meaning evaluate(const Syntax& node, const Frame& frame, std::string_view binder);
  Meaning name(const Syntax& node, const Frame& frame, std::string_view binder);
  Meaning call(const Syntax& node, const Frame& frame);
  Meaning call_function(const Syntax& node, const FunctionDefinition& function, const Frame& frame);
  Meaning relation(const Syntax& node);
  Meaning choice(const Syntax& node);
  Meaning product(const Syntax& node);
  Meaning minus(const Syntax& node);
  Meaning multiple(std::int64_t factor, lang::ExpressionId x, Span span);
  /// Whether arithmetic is of scores or of integers: scores as soon as one operand is.
  std::optional<lang::Sort> number_sort(const Syntax& node);
  lang::ExpressionId zero(lang::Sort sort, Span span);
  Meaning count(const Syntax& node);
  Meaning sum(const Syntax& node, std::int64_t factor);
  Meaning connective(const Syntax& node);
  Meaning string(const Syntax& node);

  Meaning made(const lang::Expression& expression, Span span);
  Meaning unknown(const Syntax& node, std::string_view text);
  std::optional<lang::At> position_argument(const Syntax& node, std::size_t arity, std::string_view what);
  /// The operand of a node as an expression of the sort; nothing if it is broken or (reported) of another sort.
  std::optional<lang::ExpressionId> operand(const Syntax& node, std::size_t k, lang::Sort sort);
  std::optional<lang::ExpressionId> operand(const Syntax& node, std::size_t k);
  std::string fresh_name(const std::string& stem);

  lang::Program& program_;
  const SyntaxTree& tree_;
  const Tokens& tokens_;
  Reporter& reporter_;
  std::unordered_map<std::uint32_t, Meaning> meanings_;  // of the frame being walked
  std::size_t work_ = 0;
};

}  // namespace quench::parse
