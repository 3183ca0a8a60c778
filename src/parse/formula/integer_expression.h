// The right side of `pred p(x,n) = …`: integer arithmetic and conditions, as postfix code.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/predicate.h"
#include "parse/text/cursor.h"
#include "parse/text/reporter.h"

namespace quench::parse {

class IntegerExpressionParser {
 public:
  /// `parameters`: one or two names, for x and for n.
  IntegerExpressionParser(Cursor& cursor, const std::vector<std::string_view>& parameters, Reporter& reporter)
      : cursor_(cursor), parameters_(parameters), reporter_(reporter) {}

  /// Reads a condition up to the end of its statement. Nothing (and reported) if it is wrong.
  std::optional<std::vector<IntInstruction>> parse();
  std::size_t depth() const { return open_; }

 private:
  using Op = IntInstruction::Op;
  enum class Sort : std::uint8_t { integer, condition };
  struct Operand {
    Sort sort;
    Span span;
  };
  struct Pending {
    Op op;  ///< constant stands for a parenthesis
    int level;
    Span span;
  };

  bool step();
  bool operand(const Token& token);
  bool infix(const Token& token);
  bool close(const Token& token);
  void wait(Op op, int level, Span span);
  bool reduce(int level);
  bool apply(const Pending& pending);
  bool unexpected(const Token& token);
  bool unclosed(const Token& found);

  Cursor& cursor_;
  const std::vector<std::string_view>& parameters_;
  Reporter& reporter_;
  std::vector<Pending> pending_;
  std::vector<Operand> operands_;
  std::vector<IntInstruction> code_;
  std::size_t open_ = 0;
  bool operand_expected_ = true;
  bool done_ = false;
};

}  // namespace quench::parse
