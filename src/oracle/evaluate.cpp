#include "oracle/evaluate.h"
#include "oracle/relation.h"

#include "base/error.h"
#include "base/number/int128.h"
#include "base/overloaded.h"
#include "lang/operators.h"

namespace quench::oracle {
namespace {

using lang::Count;
using lang::Formula;
using lang::FormulaId;
using lang::Operator;
using lang::Relation;
using lang::Scope;
using lang::TermId;

using Truths = std::vector<std::uint8_t>;  // truth at positions 1, …, n, stored from 0
using Numbers = std::vector<std::int64_t>;

Truths unary(Operator op, const Truths& p) {
  const std::size_t n = p.size();
  Truths value(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = k;          // left to right …
    const std::size_t r = n - 1 - k;  // … and right to left
    switch (op) {
      case Operator::not_:
        value[i] = !p[i];
        break;
      case Operator::previous:
        value[i] = i > 0 && p[i - 1];
        break;
      case Operator::weak_previous:
        value[i] = i == 0 || p[i - 1];
        break;
      case Operator::once:
        value[i] = p[i] || (i > 0 && value[i - 1]);
        break;
      case Operator::historically:
        value[i] = p[i] && (i == 0 || value[i - 1]);
        break;
      case Operator::next:
        value[i] = i + 1 < n && p[i + 1];
        break;
      case Operator::weak_next:
        value[i] = i + 1 == n || p[i + 1];
        break;
      case Operator::eventually:
        value[r] = p[r] || (r + 1 < n && value[r + 1]);
        break;
      case Operator::always:
        value[r] = p[r] && (r + 1 == n || value[r + 1]);
        break;
      QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
        QUENCH_ASSERT(false && "not a unary operator");
    }
  }
  return value;
}

/// The temporal operators by their unfolding: the value at i from that at the neighbour, which is `edge` beyond the
/// word.
Truths binary(Operator op, const Truths& p, const Truths& q) {
  const std::size_t n = p.size();
  Truths value(n);
  for (std::size_t k = 0; k < n; ++k) {
    const std::size_t i = k;
    const std::size_t r = n - 1 - k;
    const auto before = [&](bool edge) { return i == 0 ? edge : value[i - 1] != 0; };
    const auto after = [&](bool edge) { return r + 1 == n ? edge : value[r + 1] != 0; };
    switch (op) {
      case Operator::and_:
        value[i] = p[i] && q[i];
        break;
      case Operator::or_:
        value[i] = p[i] || q[i];
        break;
      case Operator::implies:
        value[i] = !p[i] || q[i];
        break;
      case Operator::iff:
        value[i] = p[i] == q[i];
        break;
      case Operator::xor_:
        value[i] = p[i] != q[i];
        break;
      case Operator::since:
        value[i] = p[i] && (q[i] || before(false));
        break;
      case Operator::standard_since:
        value[i] = q[i] || (p[i] && before(false));
        break;
      case Operator::until:
        value[r] = p[r] && (q[r] || after(false));
        break;
      case Operator::standard_until:
        value[r] = q[r] || (p[r] && after(false));
        break;
      case Operator::weak_until:
        value[r] = q[r] || (p[r] && after(true));
        break;
      case Operator::release:
        value[r] = q[r] && (p[r] || after(true));
        break;
      QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
        QUENCH_ASSERT(false && "not a binary operator");
    }
  }
  return value;
}

Numbers count(Scope scope, const Truths& p) {
  const std::size_t n = p.size();
  Numbers number(n);
  std::int64_t seen = 0;
  switch (scope) {
    case Scope::left:
      for (std::size_t i = 0; i < n; ++i) number[i] = seen += p[i];
      break;
    case Scope::right:
      for (std::size_t i = n; i-- > 0;) number[i] = seen += p[i];
      break;
    case Scope::all:
      for (std::size_t i = 0; i < n; ++i) seen += p[i];
      number.assign(n, seen);
      break;
  }
  return number;
}

class Evaluator {
 public:
  Evaluator(const Formula& formula, const Word& word)
      : formula_(formula), word_(word), values_(formula.size()), last_use_(formula.size()) {
    if (word.empty()) throw UserError("the empty word has no last position, so no rule has a value on it");
    QUENCH_ASSERT(formula.root.valid());
  }

  /// Children come before parents, so one pass over the ids meets every value after the values it needs.
  std::vector<Truths> run(bool keep_all) {
    const std::vector<bool> needed = formula_.reachable();
    note_last_uses(needed);
    for (std::size_t k = 0; k < formula_.size(); ++k) {
      if (!needed[k]) continue;
      values_[k] = value_of(FormulaId(k));
      if (!keep_all) forget_children_of(FormulaId(k));
    }
    return std::move(values_);
  }

 private:
  Truths value_of(FormulaId id) const {
    return std::visit(
        Overloaded{
            [&](const lang::Constant& node) { return Truths(word_.size(), node.value); },
            [&](const lang::SymbolAtom& node) {
              return at_each([&](std::size_t i) { return word_[i] == node.symbol; });
            },
            [&](const lang::Unary& node) { return unary(node.op, values(node.arg)); },
            [&](const lang::Binary& node) { return binary(node.op, values(node.left), values(node.right)); },
            [&](const lang::Comparison& node) {
              const std::vector<Int128> left = term(node.left), right = term(node.right);
              return at_each([&](std::size_t i) { return compare(node.relation, left[i], right[i]); });
            },
            [&](const lang::PositionPredicate& node) {
              return at_each([&](std::size_t i) { return theta(node.predicate, static_cast<std::int64_t>(i) + 1); });
            },
            [&](const lang::CountPredicate& node) {
              const Numbers number = count(node.count.scope, values(node.count.of));
              return at_each([&](std::size_t i) { return theta(node.predicate, number[i]); });
            },
            [&](const lang::Congruence& node) {
              const std::vector<Int128> number = term(node.term);
              return at_each([&](std::size_t i) { return congruent(node.predicate, number[i]); });
            },
        },
        formula_[id]);
  }

  /// 128 bits: a 64-bit coefficient times a count, summed over fewer than 2^32 parts, cannot overflow.
  std::vector<Int128> term(TermId id) const {
    std::vector<Int128> sum(word_.size(), formula_[id].constant);
    for (const lang::Term::Part& part : formula_[id].parts) {
      const Numbers number = count(part.count.scope, values(part.count.of));
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += static_cast<Int128>(part.coefficient) * number[i];
    }
    return sum;
  }

  template <class Function>
  Truths at_each(Function truth) const {
    Truths value(word_.size());
    for (std::size_t i = 0; i < value.size(); ++i) value[i] = truth(i);
    return value;
  }

  bool theta(lang::PredicateId id, std::int64_t x) const {
    return holds(formula_[id], x, static_cast<std::int64_t>(word_.size()));
  }

  /// m divides x − r; odd and even are modulo 2.
  bool congruent(lang::PredicateId id, Int128 x) const {
    const Predicate& predicate = formula_[id];
    if (predicate.kind == Predicate::Kind::odd) return (x - 1) % 2 == 0;
    if (predicate.kind == Predicate::Kind::even) return x % 2 == 0;
    return (x - predicate.residue) % predicate.modulus == 0;
  }

  const Truths& values(FormulaId id) const { return values_[id.index]; }

  /// A value is dropped after its last use: memory follows the width of the formula, not its size.
  void note_last_uses(const std::vector<bool>& needed) {
    for (std::size_t k = 0; k < formula_.size(); ++k)
      if (needed[k]) formula_.for_each_child(FormulaId(k), [&](FormulaId child) { last_use_[child.index] = k; });
  }
  void forget_children_of(FormulaId id) {
    formula_.for_each_child(id, [&](FormulaId child) {
      if (last_use_[child.index] == id.index) Truths().swap(values_[child.index]);
    });
  }

  const Formula& formula_;
  const Word& word_;
  std::vector<Truths> values_;
  std::vector<std::size_t> last_use_;
};

}  // namespace

std::vector<std::uint8_t> evaluate(const Formula& formula, const Word& word) {
  return Evaluator(formula, word).run(false)[formula.root.index];
}

std::vector<std::vector<std::uint8_t>> evaluate_all(const Formula& formula, const Word& word) {
  return Evaluator(formula, word).run(true);
}

}  // namespace quench::oracle
