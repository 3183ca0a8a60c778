#include "lint/classes.h"

#include <algorithm>
#include <bit>

#include "base/overloaded.h"

namespace quench::lint {
namespace {

using lang::FormulaId;
using lang::Operator;

constexpr std::size_t kMostSymbols = 255;    // beyond that, sets of symbols are not kept
constexpr std::size_t kMostIndependent = 6;  // their truths together are 64 points

/// The nodes below the root, itself included.
std::vector<bool> below(const lang::Formula& formula, FormulaId root) {
  std::vector<bool> found(formula.size());
  found[root.index] = true;
  for (std::size_t k = root.index + std::size_t{1}; k-- > 0;)
    if (found[k]) formula.for_each_child(FormulaId(k), [&](FormulaId child) { found[child.index] = true; });
  return found;
}

template <class Bits>
bool within(const Bits& a, const Bits& b) {
  for (std::size_t k = 0; k < a.size(); ++k)
    if (a[k] & ~b[k]) return false;
  return true;
}

}  // namespace

Classes::Classes(const lang::Formula& formula, FormulaId root, Symbols symbols)
    : formula_(formula),
      truths_(formula.size()),
      most_conjuncts_(std::clamp<std::size_t>(300'000 / std::max<std::size_t>(formula.size(), 1), 4, 32)),
      symbols_(symbols) {
  const std::vector<bool> needed = below(formula, root);
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (const auto* atom = std::get_if<lang::SymbolAtom>(&formula[FormulaId(k)]); atom && needed[k])
      numbers_.try_emplace(atom->symbol, numbers_.size());
  if (symbols == Symbols::exactly_one && formula.alphabet.size() <= kMostSymbols) points_ = formula.alphabet.size() + 1;
  if (symbols == Symbols::independent && numbers_.size() <= kMostIndependent)
    points_ = std::size_t{1} << numbers_.size();
  always_ = add(All{});
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (needed[k]) truths_[k] = class_of(FormulaId(k));
}

Truth Classes::class_of(FormulaId id) {
  return std::visit(
      Overloaded{[&](const lang::Constant& node) { return node.value ? always_ : !always_; },
                 [&](const lang::SymbolAtom& node) { return symbol(id, node.symbol); },
                 [&](const lang::Unary& node) { return unary(node.op, of(node.arg)); },
                 [&](const lang::Binary& node) { return binary(node.op, of(node.left), of(node.right)); },
                 [&](const lang::Comparison& node) { return comparison(id, node); },
                 [&](const lang::PositionPredicate&) { return add(Opaque{id}); },
                 [&](const lang::CountPredicate& node) {
                   return add(Predicated{node.predicate, static_cast<int>(node.count.scope), of(node.count.of)});
                 },
                 [&](const lang::Congruence&) { return add(Opaque{id}); }},
      formula_[id]);
}

/// Tables are kept with their last point false, and negated if need be.
Truth Classes::add_table(Bits points) {
  const auto last = [&](Bits& bits) { return bits.back() >> ((points_ - 1) % 64) & 1; };
  const bool negated = last(points) != 0;
  if (negated)
    for (std::size_t k = 0; k < points.size(); ++k) {
      const std::size_t used = std::min<std::size_t>(points_ - 64 * k, 64);
      points[k] = ~points[k] & (~std::uint64_t{0} >> (64 - used));
    }
  if (std::all_of(points.begin(), points.end(), [](std::uint64_t x) { return x == 0; }))
    return negated ? always_ : !always_;
  return {add(Table{std::move(points)}).of, negated};
}

std::optional<Classes::Bits> Classes::table_of(Truth p) const {
  const auto* table = std::get_if<Table>(&classes_[p.of]);
  if (!table) return std::nullopt;
  Bits bits = table->points;
  if (p.negated)
    for (std::size_t k = 0; k < bits.size(); ++k) {
      const std::size_t used = std::min<std::size_t>(points_ - 64 * k, 64);
      bits[k] = ~bits[k] & (~std::uint64_t{0} >> (64 - used));
    }
  return bits;
}

/// Each position holds one symbol: a point for each, and the last for all that the rule does not mention. Independent
/// symbols: a point for each choice of their truths.
Truth Classes::symbol(FormulaId id, Symbol symbol) {
  if (points_ == 0) return add(Opaque{id});
  Bits bits((points_ + 63) / 64);
  for (std::size_t point = 0; point < points_; ++point) {
    const bool holds =
        symbols_ == Symbols::exactly_one ? point == static_cast<std::size_t>(symbol) : point >> numbers_.at(symbol) & 1;
    if (holds) bits[point / 64] |= std::uint64_t{1} << (point % 64);
  }
  return add_table(std::move(bits));
}

/// Whether p ∧ !O p is among them, or another operator in the place of O that p at one position is enough for.
bool Classes::refuted(const std::vector<Truth>& all, const std::optional<Bits>& table) const {
  const auto holds = [&](Truth p) {
    if (std::binary_search(all.begin(), all.end(), p)) return true;
    const std::optional<Bits> wanted = table_of(p);
    return wanted && table && within(*table, *wanted);
  };
  return std::any_of(all.begin(), all.end(), [&](Truth one) {
    const auto* temporal = std::get_if<Temporal>(&classes_[one.of]);
    if (!one.negated || !temporal) return false;
    if (temporal->op == static_cast<int>(Operator::previous) || temporal->op == static_cast<int>(Operator::next))
      return false;
    if (holds(temporal->q)) return true;
    const auto* parts = std::get_if<All>(&classes_[temporal->q.of]);
    if (!parts) return false;
    if (!temporal->q.negated) return std::all_of(parts->of.begin(), parts->of.end(), holds);
    return std::any_of(parts->of.begin(), parts->of.end(), [&](Truth part) { return holds(!part); });
  });
}

Truth Classes::conjunction(Truth p, Truth q) {
  if (never(p) || never(q)) return !always_;
  std::vector<Truth> all;
  std::optional<Bits> table;
  const auto take = [&](Truth one) {
    if (always(one)) return;
    if (auto bits = table_of(one)) {
      if (table)
        for (std::size_t k = 0; k < bits->size(); ++k) (*table)[k] &= (*bits)[k];
      else
        table = std::move(bits);
    } else {
      all.push_back(one);
    }
  };
  for (const Truth one : {p, q}) {
    const auto* parts = std::get_if<All>(&classes_[one.of]);
    if (parts && !one.negated && parts->of.size() < most_conjuncts_)
      std::for_each(parts->of.begin(), parts->of.end(), take);
    else
      take(one);
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (std::size_t k = 1; k < all.size(); ++k)
    if (all[k].of == all[k - 1].of) return !always_;
  if (refuted(all, table)) return !always_;
  if (table) {
    const Truth set = add_table(std::move(*table));
    if (never(set)) return set;
    if (!always(set)) all.insert(std::upper_bound(all.begin(), all.end(), set), set);
  }
  if (all.empty()) return always_;
  return all.size() == 1 ? all.front() : add(All{std::move(all)});
}

Truth Classes::equivalence(Truth p, Truth q) {
  if (p.of == q.of) return p == q ? always_ : !always_;
  if (always(p) || always(q)) return always(p) ? q : p;
  if (never(p) || never(q)) return never(p) ? !q : !p;
  const auto a = table_of(p), b = table_of(q);
  if (a && b) return disjunction(conjunction(p, q), conjunction(!p, !q));
  return {add(Same{std::min(p.of, q.of), std::max(p.of, q.of)}).of, p.negated != q.negated};
}

/// O p or F p.
Truth Classes::once(Operator op, Truth p) {
  const auto* temporal = std::get_if<Temporal>(&classes_[p.of]);
  if (p.of == always_.of || (temporal && !p.negated && temporal->op == static_cast<int>(op))) return p;
  return add(Temporal{static_cast<int>(op), p, p});
}

/// p S q or p U q.
Truth Classes::since(Operator op, Operator once_op, Truth p, Truth q) {
  if (q.of == always_.of || never(p) || p == q) return q;
  if (always(p) || p == !q) return once(once_op, q);
  return add(Temporal{static_cast<int>(op), p, q});
}

Truth Classes::unary(Operator op, Truth p) {
  switch (op) {
    case Operator::not_:
      return !p;
    case Operator::previous:  // false at the end of the word, whatever p is
    case Operator::next:
      return never(p) ? p : add(Temporal{static_cast<int>(op), p, p});
    case Operator::weak_previous:
      return !unary(Operator::previous, !p);
    case Operator::weak_next:
      return !unary(Operator::next, !p);
    case Operator::once:
    case Operator::eventually:
      return once(op, p);
    case Operator::historically:
      return !once(Operator::once, !p);
    case Operator::always:
      return !once(Operator::eventually, !p);
      QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
  }
  return {};
}

Truth Classes::binary(Operator op, Truth p, Truth q) {
  switch (op) {
    case Operator::and_:
      return conjunction(p, q);
    case Operator::or_:
      return disjunction(p, q);
    case Operator::implies:
      return disjunction(!p, q);
    case Operator::iff:
      return equivalence(p, q);
    case Operator::xor_:
      return !equivalence(p, q);
    case Operator::since:  // p and q at one position
      return since(Operator::standard_since, Operator::once, p, conjunction(p, q));
    case Operator::until:
      return since(Operator::standard_until, Operator::eventually, p, conjunction(p, q));
    case Operator::standard_since:
      return since(op, Operator::once, p, q);
    case Operator::standard_until:
      return since(op, Operator::eventually, p, q);
    case Operator::weak_until:  // the first position without p has q
      if (const Truth one = disjunction(p, q); always(one)) return one;
      return disjunction(binary(Operator::standard_until, p, q), unary(Operator::always, p));
    case Operator::release:
      return !binary(Operator::standard_until, !p, !q);
      QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
  }
  return {};
}

}  // namespace quench::lint
