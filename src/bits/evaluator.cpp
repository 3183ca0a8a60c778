#include "bits/evaluator.h"

#include <cmath>

#include "base/error.h"
#include "base/number/multiversion.h"
#include "base/overloaded.h"
#include "bits/counts.h"
#include "oracle/evaluate.h"

namespace quench::bits {

using lang::Operator;

namespace {

/// out = f(p, q), word by word; positions beyond n stay 0.
#define QUENCH_WORDWISE(name, expression)                                             \
  QUENCH_MULTIVERSION void name(const Plane& p, const Plane& q, std::size_t n, Plane& out) { \
    out.resize(p.size());                                                             \
    const Bits *a = p.data(), *b = q.data();                                          \
    Bits* c = out.data();                                                             \
    for (std::size_t w = 0; w < p.size(); ++w) c[w] = expression;                     \
    out.back() &= last_mask(n);                                                       \
  }
QUENCH_WORDWISE(conjunction, a[w] & b[w])
QUENCH_WORDWISE(disjunction, a[w] | b[w])
QUENCH_WORDWISE(implication, ~a[w] | b[w])
QUENCH_WORDWISE(equivalence, ~(a[w] ^ b[w]))
QUENCH_WORDWISE(exclusive_or, a[w] ^ b[w])
QUENCH_WORDWISE(negation, ~(a[w] | b[w]))
#undef QUENCH_WORDWISE

/// Everything from the first set bit on, or up to the last one.
void fill_from_first(const Plane& p, std::size_t n, Plane& out) {
  std::size_t w = 0;
  while (w < p.size() && p[w] == 0) ++w;
  out.assign(p.size(), 0);
  if (w == p.size()) return;
  out[w] = Bits{0} - (p[w] & (Bits{0} - p[w]));
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(w) + 1, out.end(), kAll);
  out.back() &= last_mask(n);
}

void fill_to_last(const Plane& p, Plane& out) {
  std::size_t w = p.size();
  while (w > 0 && p[w - 1] == 0) --w;
  out.assign(p.size(), 0);
  if (w == 0) return;
  std::fill(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(w) - 1, kAll);
  out[w - 1] = kAll >> std::countl_zero(p[w - 1]);
}

}  // namespace

Evaluator::Evaluator(const lang::Formula& formula)
    : formula_(formula), needed_(formula.reachable()), planes_(formula.size()) {
  for (std::size_t k = 0; k < formula.size(); ++k)
    if (const auto* atom = std::get_if<lang::SymbolAtom>(&formula[lang::FormulaId(k)]); atom && needed_[k]) {
      symbols_.push_back(atom->symbol);
      symbol_nodes_.push_back(lang::FormulaId(k));
    }
}

bool Evaluator::covers(std::size_t n) const {
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    const auto* node = std::get_if<lang::Comparison>(&formula_[lang::FormulaId(k)]);
    if (!node || !needed_[k]) continue;
    double coefficients = 0, constant = 0;
    for (const lang::TermId id : {node->left, node->right}) {
      constant += std::fabs(static_cast<double>(formula_[id].constant));
      for (const lang::Term::Part& part : formula_[id].parts)
        coefficients += std::fabs(static_cast<double>(part.coefficient));
    }
    if (!fits(coefficients, constant, n)) return false;
  }
  return true;
}

const Plane& Evaluator::evaluate(std::span<const Symbol> word) {
  const std::size_t n = word.size();
  QUENCH_ASSERT(n > 0);
  if (n != n_) tables_.clear();
  n_ = n;
  std::vector<Plane*> atoms;
  for (const lang::FormulaId id : symbol_nodes_) atoms.push_back(&planes_[id.index]);
  symbol_planes(word, symbols_, atoms);
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    if (!needed_[k]) continue;
    Plane& out = planes_[k];
    std::visit(Overloaded{
                   [&](const lang::Constant& node) {
                     out.assign(words_for(n), node.value ? kAll : 0);
                     out.back() &= last_mask(n);
                   },
                   [&](const lang::SymbolAtom&) {},
                   [&](const lang::Unary& node) { unary(node.op, planes_[node.arg.index], out); },
                   [&](const lang::Binary& node) {
                     binary(node.op, planes_[node.left.index], planes_[node.right.index], out);
                   },
                   [&](const lang::Comparison& node) { comparison(node, out); },
                   [&](const lang::PositionPredicate& node) { shift_left(table(node.predicate), false, n + 1, out); },
                   [&](const lang::CountPredicate& node) {
                     look_up(planes_[node.count.of.index], node.count.scope, table(node.predicate), n, out);
                   },
                   [&](const lang::Congruence& node) {
                     const lang::Term& term = formula_[node.term];
                     congruent(counted(term, 1), term.constant, *residue_class(formula_[node.predicate]), n, out);
                   },
               },
               formula_[lang::FormulaId(k)]);
    out.resize(words_for(n));
  }
  return planes_[formula_.root.index];
}

void Evaluator::unary(Operator op, const Plane& p, Plane& out) const {
  switch (op) {
    case Operator::not_:
      return negation(p, p, n_, out);
    case Operator::previous:
      return shift_right(p, false, n_, out);
    case Operator::weak_previous:
      return shift_right(p, true, n_, out);
    case Operator::next:
      return shift_left(p, false, n_, out);
    case Operator::weak_next:
      return shift_left(p, true, n_, out);
    case Operator::once:
      return fill_from_first(p, n_, out);
    case Operator::eventually:
      return fill_to_last(p, out);
    case Operator::historically:
      negation(p, p, n_, out);
      fill_from_first(Plane(out), n_, out);
      return negation(out, out, n_, out);
    case Operator::always:
      negation(p, p, n_, out);
      fill_to_last(Plane(out), out);
      return negation(out, out, n_, out);
    QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
      QUENCH_ASSERT(false && "not a unary operator");
  }
}

void Evaluator::binary(Operator op, const Plane& p, const Plane& q, Plane& out) const {
  switch (op) {
    case Operator::and_:
      return conjunction(p, q, n_, out);
    case Operator::or_:
      return disjunction(p, q, n_, out);
    case Operator::implies:
      return implication(p, q, n_, out);
    case Operator::iff:
      return equivalence(p, q, n_, out);
    case Operator::xor_:
      return exclusive_or(p, q, n_, out);
    case Operator::standard_since:
      return spread_right(p, q, false, n_, out);
    case Operator::standard_until:
      return spread_left(p, q, false, n_, out);
    case Operator::weak_until:
      return spread_left(p, q, true, n_, out);
    case Operator::since:  // p at the near end as well: (p ∧ q) spread through p
      conjunction(p, q, n_, out);
      return spread_right(p, out, false, n_, out);
    case Operator::until:
      conjunction(p, q, n_, out);
      return spread_left(p, out, false, n_, out);
    case Operator::release:  // q holds up to and including where p does: (p ∧ q) spread through q, or to the end
      conjunction(p, q, n_, out);
      return spread_left(q, out, true, n_, out);
    QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
      QUENCH_ASSERT(false && "not a binary operator");
  }
}

void Evaluator::comparison(const lang::Comparison& node, Plane& out) const {
  const lang::Term &left = formula_[node.left], &right = formula_[node.right];
  std::vector<CountedPlane> counts = counted(left, 1);
  for (const CountedPlane& count : counted(right, -1)) counts.push_back(count);
  compare(counts, left.constant - right.constant, node.relation, n_, out);
}

std::vector<CountedPlane> Evaluator::counted(const lang::Term& term, int sign) const {
  std::vector<CountedPlane> counts;
  for (const lang::Term::Part& part : term.parts)
    counts.push_back({sign * part.coefficient, part.count.scope, &planes_[part.count.of.index]});
  return counts;
}

const Plane& Evaluator::table(lang::PredicateId id) {
  Plane& plane = tables_[static_cast<std::uint32_t>(id.index)];
  if (!plane.empty()) return plane;
  plane.assign(words_for(n_ + 1), 0);
  for (std::size_t x = 0; x <= n_; ++x)
    if (oracle::holds(formula_[id], static_cast<std::int64_t>(x), static_cast<std::int64_t>(n_)))
      plane[x / kBits] |= Bits{1} << x % kBits;
  return plane;
}

}  // namespace quench::bits
