// Formulas of LTL[#←, #→, +, Mon]: what a formula is (Definitions 10, 14, 19 of the paper, with the points fixed in
// docs/language.md). Built by parse/, read by oracle/ and lower/. Nodes are interned, so equal subformulas are one node,
// and children come before parents: a loop over ids is a topological order, and nothing here recurses.
#pragma once

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "base/named_enum.h"
#include "base/pool.h"
#include "base/predicate.h"
#include "base/text/diagnostic.h"
#include "base/word.h"
#include "lang/operator_list.h"

namespace quench::lang {

struct FormulaTag;
struct TermTag;
struct PredicateTag;
using FormulaId = Id<FormulaTag>;
using TermId = Id<TermTag>;
using PredicateId = Id<PredicateTag>;

/// Every connective and temporal operator, listed in lang/operator_list.h; its facts are in lang/operators.h.
enum class Operator : std::uint8_t {
  QUENCH_UNARY_OPERATORS(QUENCH_ENUMERATOR) QUENCH_BINARY_OPERATORS(QUENCH_ENUMERATOR)
};

enum class Relation : std::uint8_t { less_equal, less, greater_equal, greater, equal, not_equal };

/// Which positions a count at i ranges over: j ≤ i, j ≥ i, all.
enum class Scope : std::uint8_t { left, right, all };

struct Constant {
  bool value;
  auto tie() const { return std::tie(value); }
  friend bool operator==(const Constant&, const Constant&) = default;
};
/// Q_σ
struct SymbolAtom {
  Symbol symbol;
  auto tie() const { return std::tie(symbol); }
  friend bool operator==(const SymbolAtom&, const SymbolAtom&) = default;
};
struct Unary {
  Operator op;
  FormulaId arg;
  auto tie() const { return std::tuple(static_cast<int>(op), arg); }
  friend bool operator==(const Unary&, const Unary&) = default;
};
struct Binary {
  Operator op;
  FormulaId left, right;
  auto tie() const { return std::tuple(static_cast<int>(op), left, right); }
  friend bool operator==(const Binary&, const Binary&) = default;
};
/// t1 ≤ t2 and its relatives.
struct Comparison {
  Relation relation;
  TermId left, right;
  auto tie() const { return std::tuple(static_cast<int>(relation), left, right); }
  friend bool operator==(const Comparison&, const Comparison&) = default;
};
/// θ: a numerical predicate of the position.
struct PositionPredicate {
  PredicateId predicate;
  auto tie() const { return std::tie(predicate); }
  friend bool operator==(const PositionPredicate&, const PositionPredicate&) = default;
};
/// κ: #←[φ], #→[φ] or #[φ].
struct Count {
  Scope scope;
  FormulaId of;
  auto tie() const { return std::tuple(static_cast<int>(scope), of); }
  friend bool operator==(const Count&, const Count&) = default;
  friend auto operator<=>(const Count&, const Count&) = default;
};
/// θ(κ): a numerical predicate of a count (which may be 0).
struct CountPredicate {
  PredicateId predicate;
  Count count;
  auto tie() const { return std::tie(predicate, count); }
  friend bool operator==(const CountPredicate&, const CountPredicate&) = default;
};
/// t ≡ r (mod m): a predicate with a residue class (base/predicate.h) of a term, which may be negative. A count alone is a
/// CountPredicate.
struct Congruence {
  PredicateId predicate;
  TermId term;
  auto tie() const { return std::tie(predicate, term); }
  friend bool operator==(const Congruence&, const Congruence&) = default;
};

using Node =
    std::variant<Constant, SymbolAtom, Unary, Binary, Comparison, PositionPredicate, CountPredicate, Congruence>;

/// Σ coefficient · count + constant, normalised: counts in the order of the text, each once, no coefficient 0.
struct Term {
  struct Part {
    std::int64_t coefficient;
    Count count;
    auto tie() const { return std::tie(coefficient, count); }
    friend bool operator==(const Part&, const Part&) = default;
  };
  std::vector<Part> parts;
  std::int64_t constant = 0;
  auto tie() const { return std::tie(parts, constant); }
  friend bool operator==(const Term&, const Term&) = default;
};

/// What nodes are called instead of being written out, by number. Empty, or beyond the end: written out.
struct Names {
  std::vector<std::string> formulas, terms;

  const std::string& of(FormulaId id) const { return at(formulas, id.index); }
  const std::string& of(TermId id) const { return at(terms, id.index); }
  /// Unless it has a name.
  void give(FormulaId id, const std::string& name) { give(formulas, id.index, name); }
  void give(TermId id, const std::string& name) { give(terms, id.index, name); }

 private:
  static const std::string& at(const std::vector<std::string>& list, std::size_t index) {
    static const std::string none;
    return index < list.size() ? list[index] : none;
  }
  static void give(std::vector<std::string>& list, std::size_t index, const std::string& name) {
    if (list.size() <= index) list.resize(index + 1);
    if (list[index].empty()) list[index] = name;
  }
};

/// A rule: an interned DAG, the result being `root`.
class Formula {
 public:
  Alphabet alphabet;
  bool closed = false;  ///< the alphabet is declared: words have these symbols and no others
  Names names;          ///< those that the text gave by `let`: they mean nothing, and stay wherever people look
  FormulaId root;

  FormulaId add(const Node& node, Span span = {});
  /// Adds an already normalised term.
  TermId add(const Term& term) { return terms_.intern(term); }
  PredicateId add(const Predicate& predicate) { return predicates_.intern(predicate); }

  const Node& operator[](FormulaId id) const { return nodes_[id]; }
  const Term& operator[](TermId id) const { return terms_[id]; }
  const Predicate& operator[](PredicateId id) const { return predicates_[id]; }

  std::size_t size() const { return nodes_.size(); }
  const std::vector<Predicate>& predicates() const { return predicates_.nodes(); }
  /// Where the node first occurred in the source text.
  Span span(FormulaId id) const { return spans_[id.index]; }

  /// Calls `visit(child)` for every direct subformula, those inside counts included, in the order they are written.
  template <class Visit>
  void for_each_child(FormulaId id, Visit visit) const;

  /// Marks the nodes that the root depends on (others are bound by `let` and never used).
  std::vector<bool> reachable() const;

 private:
  Pool<Node, FormulaTag> nodes_;
  Pool<Term, TermTag> terms_;
  Pool<Predicate, PredicateTag> predicates_;
  std::vector<Span> spans_;
};

template <class Visit>
void Formula::for_each_child(FormulaId id, Visit visit) const {
  const Node& node = nodes_[id];
  if (const auto* unary = std::get_if<Unary>(&node)) {
    visit(unary->arg);
  } else if (const auto* binary = std::get_if<Binary>(&node)) {
    visit(binary->left);
    visit(binary->right);
  } else if (const auto* comparison = std::get_if<Comparison>(&node)) {
    for (const TermId term : {comparison->left, comparison->right})
      for (const Term::Part& part : terms_[term].parts) visit(part.count.of);
  } else if (const auto* count = std::get_if<CountPredicate>(&node)) {
    visit(count->count.of);
  } else if (const auto* congruence = std::get_if<Congruence>(&node)) {
    for (const Term::Part& part : terms_[congruence->term].parts) visit(part.count.of);
  }
}

}  // namespace quench::lang
