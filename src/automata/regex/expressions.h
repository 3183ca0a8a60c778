// Regular expressions in a normal form that is good enough for derivatives: equal sets of alternatives are one
// expression, so that an expression has finitely many derivatives (Brzozowski 1964).
#pragma once

#include <cstdint>
#include <tuple>
#include <vector>

#include "automata/limits.h"
#include "base/pool.h"
#include "lang/dfa.h"

namespace quench::automata {

struct ExpressionTag;
using ExpressionId = Id<ExpressionTag>;

struct Expression {
  enum class Kind : std::uint8_t {
    letters,   // one of these letters; of none: no word at all
    empty,     // the empty word
    sequence,  // parts[0] parts[1], where parts[0] is no sequence
    either,    // two or more, sorted
    both,      // two or more, sorted
    all_but,   // ~parts[0]
    star,      // parts[0]*
    repeated,  // parts[0]{least,most}, most ≥ 2
  };
  Kind kind;
  std::vector<lang::Letter> letters;
  std::vector<ExpressionId> parts;
  std::uint32_t least = 0, most = 0;
  auto tie() const { return std::tuple(static_cast<int>(kind), letters, parts, least, most); }
  friend bool operator==(const Expression&, const Expression&) = default;
};

/// Builds expressions, each once. Nothing here recurses: expressions may be as deep as they are long.
class Expressions {
 public:
  Expressions(std::size_t letters, const Limits& limits);

  const Expression& operator[](ExpressionId id) const { return pool_[id]; }
  /// Whether it has the empty word.
  bool nullable(ExpressionId id) const { return nullable_[id.index]; }

  ExpressionId nothing() const { return nothing_; }
  ExpressionId anything() const { return anything_; }
  ExpressionId empty() const { return empty_; }
  ExpressionId letters(std::vector<lang::Letter> letters);  // sorted
  ExpressionId sequence(ExpressionId left, ExpressionId right);
  ExpressionId either(const std::vector<ExpressionId>& parts) { return joined(Expression::Kind::either, parts); }
  ExpressionId both(const std::vector<ExpressionId>& parts) { return joined(Expression::Kind::both, parts); }
  ExpressionId all_but(ExpressionId arg);
  /// `most` may be lang::Repeated::kNoEnd.
  ExpressionId repeated(ExpressionId arg, std::uint32_t least, std::uint32_t most);

 private:
  ExpressionId intern(Expression expression);
  ExpressionId joined(Expression::Kind kind, const std::vector<ExpressionId>& parts);
  bool has_empty_word(const Expression& expression) const;

  const Limits& limits_;
  std::size_t letter_count_;
  Pool<Expression, ExpressionTag> pool_;
  std::vector<bool> nullable_;
  std::size_t size_ = 0;  // of all expressions together
  ExpressionId nothing_, anything_, empty_;
};

}  // namespace quench::automata
