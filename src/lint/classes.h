// Subformulas that have the same truth at every position of every word, as far as can be seen without looking at words:
// equal texts, duals (H p is !O !p), comparisons of equal counts, sets of symbols, and what follows for connectives.
// Sound, not complete: what is one class is equal, and what is constant is constant.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

#include "base/number/int128.h"
#include "base/pool.h"
#include "lang/formula.h"

namespace quench::lint {

struct ClassTag;
using ClassId = Id<ClassTag>;

/// A class or its negation. The first class is `true`.
struct Truth {
  ClassId of;
  bool negated = false;
  Truth operator!() const { return {of, !negated}; }
  auto tie() const { return std::tie(of, negated); }
  friend auto operator<=>(const Truth&, const Truth&) = default;
};

/// What is taken to be known of symbols: that each position holds exactly one, or nothing. What is constant only in the
/// first case is so because of that.
enum class Symbols : std::uint8_t { exactly_one, independent };

class Classes {
 public:
  /// Of the root and all below it.
  Classes(const lang::Formula& formula, lang::FormulaId root, Symbols symbols);

  Truth of(lang::FormulaId id) const { return truths_[id.index]; }
  bool never(Truth p) const { return p == !always_; }
  bool always(Truth p) const { return p == always_; }
  bool constant(lang::FormulaId id) const { return of(id).of == always_.of; }
  /// Whether truth tables over the symbols are kept; with too many symbols they are not, and less is seen.
  bool has_tables() const { return points_ > 0; }
  /// Whether the counts of a comparison are still there when both sides are subtracted.
  bool compares_counts(lang::FormulaId comparison) const;

  Truth conjunction(Truth p, Truth q);
  Truth disjunction(Truth p, Truth q) { return !conjunction(!p, !q); }
  Truth equivalence(Truth p, Truth q);
  Truth unary(lang::Operator op, Truth p);
  Truth binary(lang::Operator op, Truth p, Truth q);

 private:
  using Bits = std::vector<std::uint64_t>;
  /// True where the symbol is one of a set; with independent symbols, where their truths are one of a set.
  struct Table {
    Bits points;
    auto tie() const { return std::tie(points); }
    friend bool operator==(const Table&, const Table&) = default;
  };
  struct All {
    std::vector<Truth> of;  ///< sorted, at least two
    auto tie() const { return std::tie(of); }
    friend bool operator==(const All&, const All&) = default;
  };
  struct Same {
    ClassId p, q;
    auto tie() const { return std::tie(p, q); }
    friend bool operator==(const Same&, const Same&) = default;
  };
  /// previous, next, once, eventually, standard_since, standard_until; unary ones have their operand twice.
  struct Temporal {
    int op;
    Truth p, q;
    auto tie() const { return std::tie(op, p, q); }
    friend bool operator==(const Temporal&, const Temporal&) = default;
  };
  struct Counted {
    int scope;
    Truth of;
    std::int64_t times;
    auto tie() const { return std::tie(scope, of, times); }
    friend bool operator==(const Counted&, const Counted&) = default;
  };
  /// Σ counts + constant ≥ 0, or = 0; the first coefficient is positive.
  struct Compared {
    std::vector<Counted> counts;
    std::int64_t constant;
    bool equal;
    auto tie() const { return std::tie(counts, constant, equal); }
    friend bool operator==(const Compared&, const Compared&) = default;
  };
  /// A numerical predicate of a count.
  struct Predicated {
    lang::PredicateId predicate;
    int scope;
    Truth of;
    auto tie() const { return std::tie(predicate, scope, of); }
    friend bool operator==(const Predicated&, const Predicated&) = default;
  };
  /// Of which nothing is known.
  struct Opaque {
    lang::FormulaId id;
    auto tie() const { return std::tie(id); }
    friend bool operator==(const Opaque&, const Opaque&) = default;
  };
  using Class = std::variant<Table, All, Same, Temporal, Compared, Predicated, Opaque>;
  using Sum = std::map<std::pair<int, Truth>, Int128>;

  Truth class_of(lang::FormulaId id);
  Truth add(const Class& node) { return {classes_.intern(node), false}; }
  Truth add_table(Bits points);
  Truth symbol(lang::FormulaId id, Symbol symbol);
  Truth once(lang::Operator op, Truth p);
  Truth since(lang::Operator op, lang::Operator once_op, Truth p, Truth q);
  Truth comparison(lang::FormulaId id, const lang::Comparison& node);
  Truth compared(lang::FormulaId id, const Sum& sum, Int128 constant, bool equal);
  Sum difference(const lang::Comparison& node) const;
  std::optional<Bits> table_of(Truth p) const;
  bool refuted(const std::vector<Truth>& all, const std::optional<Bits>& table) const;

  const lang::Formula& formula_;
  std::vector<Truth> truths_;
  Pool<Class, ClassTag> classes_;
  Truth always_;
  std::size_t points_ = 0;      ///< of tables
  std::size_t most_conjuncts_;  ///< longer conjunctions are not joined with others: every step is to be short
  Symbols symbols_;
  std::unordered_map<Symbol, std::size_t> numbers_;  ///< of independent symbols
};

}  // namespace quench::lint
