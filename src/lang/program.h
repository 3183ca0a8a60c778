// Programs of B-RASP and S-RASP: what a program is. One grammar; the sorts of its vectors decide the class. Built by
// parse/ and the translations, read by oracle/ and lower/. Nothing here recurses.
//
// A program is a list of vectors, each of one sort and defined from earlier ones:
//   Pointwise   P(i) = expression at i
//   Attention   P(i) = leftmost|rightmost j [M(i,j), S(i,j)] V(i,j) : D(i)      the least/greatest j with M ∧ S, else D
//   SumOver     P(i) = Σ V(j) over the positions j within reach
//   Mean        P(i) = the share of the positions within reach where V(j) holds
// Expressions are interned; operands come before their users, so a loop over ids is a topological order. A leaf says
// which position it is read at: i, the position being computed, or j, the one attended to.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <variant>
#include <vector>

#include "base/pool.h"
#include "base/text/diagnostic.h"
#include "base/word.h"
#include "lang/formula.h"

namespace quench::lang {

struct ExpressionTag;
struct VectorTag;
using ExpressionId = Id<ExpressionTag>;
using VectorId = Id<VectorTag>;

enum class Sort : std::uint8_t { boolean, symbol, integer, string, score };
std::string_view to_string(Sort sort);

enum class At : std::uint8_t { i, j };
enum class Connective : std::uint8_t { and_, or_, implies, iff, xor_ };

struct BooleanConstant {
  bool value;
  auto tie() const { return std::tie(value); }
  friend bool operator==(const BooleanConstant&, const BooleanConstant&) = default;
};
struct SymbolConstant {
  Symbol symbol;
  auto tie() const { return std::tie(symbol); }
  friend bool operator==(const SymbolConstant&, const SymbolConstant&) = default;
};
/// A packed output: a number in Program::strings.
struct StringConstant {
  std::int32_t string;
  auto tie() const { return std::tie(string); }
  friend bool operator==(const StringConstant&, const StringConstant&) = default;
};
struct IntegerConstant {
  std::int64_t value;
  auto tie() const { return std::tie(value); }
  friend bool operator==(const IntegerConstant&, const IntegerConstant&) = default;
};
/// A decimal number, in units of 10^−6.
struct ScoreConstant {
  std::int64_t millionths;
  auto tie() const { return std::tie(millionths); }
  friend bool operator==(const ScoreConstant&, const ScoreConstant&) = default;
};
/// in(i)
struct Input {
  At at;
  auto tie() const { return std::tuple(static_cast<int>(at)); }
  friend bool operator==(const Input&, const Input&) = default;
};
/// pos(i), from 1
struct PositionAt {
  At at;
  auto tie() const { return std::tuple(static_cast<int>(at)); }
  friend bool operator==(const PositionAt&, const PositionAt&) = default;
};
struct VectorAt {
  VectorId vector;
  At at;
  auto tie() const { return std::tuple(vector, static_cast<int>(at)); }
  friend bool operator==(const VectorAt&, const VectorAt&) = default;
};
struct Negation {
  ExpressionId of;
  auto tie() const { return std::tie(of); }
  friend bool operator==(const Negation&, const Negation&) = default;
};
struct Connection {
  Connective op;
  ExpressionId left, right;
  auto tie() const { return std::tuple(static_cast<int>(op), left, right); }
  friend bool operator==(const Connection&, const Connection&) = default;
};
/// Equality of two symbols.
struct SameSymbol {
  ExpressionId left, right;
  auto tie() const { return std::tie(left, right); }
  friend bool operator==(const SameSymbol&, const SameSymbol&) = default;
};
struct MemberOf {
  ExpressionId of;
  std::vector<Symbol> symbols;  ///< sorted, distinct
  auto tie() const { return std::tie(of, symbols); }
  friend bool operator==(const MemberOf&, const MemberOf&) = default;
};
/// Of two integers.
struct Compare {
  Relation relation;
  ExpressionId left, right;
  auto tie() const { return std::tuple(static_cast<int>(relation), left, right); }
  friend bool operator==(const Compare&, const Compare&) = default;
};
/// A Boolean as 0 or 1.
struct AsInteger {
  ExpressionId of;
  auto tie() const { return std::tie(of); }
  friend bool operator==(const AsInteger&, const AsInteger&) = default;
};
/// A symbol as a string of length 1.
struct AsString {
  ExpressionId of;
  auto tie() const { return std::tie(of); }
  friend bool operator==(const AsString&, const AsString&) = default;
};
/// A Boolean as 0 or 1.
struct AsScore {
  ExpressionId of;
  auto tie() const { return std::tie(of); }
  friend bool operator==(const AsScore&, const AsScore&) = default;
};
/// left + factor · right, of two integers or two scores
struct Sum {
  ExpressionId left, right;
  std::int64_t factor;
  auto tie() const { return std::tie(left, right, factor); }
  friend bool operator==(const Sum&, const Sum&) = default;
};
/// p ? x : y, the two of one sort
struct Choice {
  ExpressionId condition, yes, no;
  auto tie() const { return std::tie(condition, yes, no); }
  friend bool operator==(const Choice&, const Choice&) = default;
};

using Expression = std::variant<BooleanConstant, SymbolConstant, StringConstant, IntegerConstant, ScoreConstant, Input,
                                PositionAt, VectorAt, Negation, Connection, SameSymbol, MemberOf, Compare, AsInteger,
                                AsString, AsScore, Sum, Choice>;

enum class Side : std::uint8_t { leftmost, rightmost };
/// M(i,j): true, j < i, j ≤ i, j > i, j ≥ i.
enum class Reach : std::uint8_t { all, before, up_to, after, from };
std::string_view to_string(Reach reach);  ///< "true", "j < i", …

struct Pointwise {
  ExpressionId value;
};
struct Attention {
  Side side;
  Reach reach;
  ExpressionId score, value, otherwise;
};
struct SumOver {
  Reach reach;
  ExpressionId value;  ///< an integer at j
};
struct Mean {
  Reach reach;         ///< all, up_to or from: never empty
  ExpressionId value;  ///< a Boolean at j
};
using Definition = std::variant<Pointwise, Attention, SumOver, Mean>;

/// Scores are put out to this precision: a value is a whole number of millionths.
inline constexpr std::int64_t kScoreUnit = 1'000'000;

struct Vector {
  std::string name;
  Sort sort = Sort::boolean;
  Definition definition;
  Span span;  ///< of the name where it is defined
};

/// One of several score vectors that are put out together: `score['a'](i) = …`.
struct SymbolScore {
  Symbol symbol;
  VectorId vector;
};

class Program {
 public:
  Alphabet alphabet;
  std::vector<std::vector<Symbol>> strings;  ///< packed outputs that occur, in the order of the text
  VectorId output;
  std::vector<SymbolScore> scores;  ///< if not empty, these are the output, and `output` is the first of them

  /// `span` is where the expression first occurs in the text.
  ExpressionId add(const Expression& expression, Span span = {});
  VectorId add(Vector vector);
  /// The number of a string, adding it if need be.
  std::int32_t intern(const std::vector<Symbol>& string);

  const Expression& operator[](ExpressionId id) const { return expressions_[id]; }
  const Vector& operator[](VectorId id) const { return vectors_[id.index]; }
  std::size_t size() const { return expressions_.size(); }
  std::size_t vector_count() const { return vectors_.size(); }
  Span span(ExpressionId id) const { return spans_[id.index]; }
  Sort sort(ExpressionId id) const { return sorts_[id.index]; }
  /// Whether it reads anything at i, at j.
  bool reads(ExpressionId id, At at) const { return reads_[id.index] >> static_cast<int>(at) & 1; }
  /// How long it is when written out; saturates.
  std::uint64_t length(ExpressionId id) const { return lengths_[id.index]; }

  /// The vectors that the output depends on.
  std::vector<bool> needed() const;
  /// No vector that the output depends on is of integers, counts or looks at positions: B-RASP. Otherwise S-RASP.
  bool is_brasp() const;
  /// The vectors put out: the scores, or one.
  std::vector<VectorId> outputs() const;
  Sort output_sort() const { return (*this)[output].sort; }

 private:
  Sort sort_of(const Expression& expression) const;

  Pool<Expression, ExpressionTag> expressions_;
  std::vector<Span> spans_;
  std::vector<Sort> sorts_;
  std::vector<std::uint8_t> reads_;
  std::vector<std::uint64_t> lengths_;
  std::vector<Vector> vectors_;
};

/// Calls visit(ExpressionId) for the direct operands of an expression, in the order they are written.
template <class Visit>
void for_each_operand(const Expression& expression, Visit visit) {
  if (const auto* x = std::get_if<Negation>(&expression)) return visit(x->of);
  if (const auto* x = std::get_if<MemberOf>(&expression)) return visit(x->of);
  if (const auto* x = std::get_if<AsInteger>(&expression)) return visit(x->of);
  if (const auto* x = std::get_if<AsString>(&expression)) return visit(x->of);
  if (const auto* x = std::get_if<AsScore>(&expression)) return visit(x->of);
  if (const auto* x = std::get_if<Connection>(&expression)) return visit(x->left), visit(x->right);
  if (const auto* x = std::get_if<SameSymbol>(&expression)) return visit(x->left), visit(x->right);
  if (const auto* x = std::get_if<Compare>(&expression)) return visit(x->left), visit(x->right);
  if (const auto* x = std::get_if<Sum>(&expression)) return visit(x->left), visit(x->right);
  if (const auto* x = std::get_if<Choice>(&expression)) return visit(x->condition), visit(x->yes), visit(x->no);
}

/// The expressions a vector's definition consists of: value; score, value, default.
std::vector<ExpressionId> roots(const Vector& vector);
/// What they depend on, in topological order.
std::vector<ExpressionId> expressions_of(const Program& program, const std::vector<ExpressionId>& roots);

}  // namespace quench::lang
