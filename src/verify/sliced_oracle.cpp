#include "verify/sliced_oracle.h"

#include <algorithm>
#include <cmath>

#include "base/number/int128.h"
#include "base/error.h"
#include "base/overloaded.h"
#include "oracle/evaluate.h"
#include "oracle/relation.h"

namespace quench::verify {

using lang::Operator;
using lang::Relation;
using lang::Scope;

namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

/// One bit per lane from a test of that lane.
template <class Test>
std::uint64_t slice_of(Test test) {
  std::uint64_t bits = 0;
  for (std::size_t w = 0; w < kSlice; ++w) bits |= static_cast<std::uint64_t>(test(w) ? 1 : 0) << w;
  return bits;
}

}  // namespace

SlicedOracle::SlicedOracle(const lang::Formula& formula)
    : formula_(formula), needed_(formula.reachable()), values_(formula.size()) {}

bool SlicedOracle::covers(std::size_t n) const {
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    const auto* node = std::get_if<lang::Comparison>(&formula_[lang::FormulaId(k)]);
    if (!node) continue;
    for (const lang::TermId id : {node->left, node->right}) {
      double most = std::fabs(static_cast<double>(formula_[id].constant));
      for (const lang::Term::Part& part : formula_[id].parts)
        most += std::fabs(static_cast<double>(part.coefficient)) * static_cast<double>(n);
      if (most > 0x1p62) return false;
    }
  }
  return true;
}

const std::vector<std::uint64_t>& SlicedOracle::evaluate(std::size_t n, std::size_t lanes, const Symbol* symbols,
                                                         std::size_t stride) {
  QUENCH_ASSERT(lanes <= kSlice);
  n_ = n;
  for (std::size_t k = 0; k < formula_.size(); ++k) {
    if (!needed_[k]) continue;
    Slices& value = values_[k];
    value.assign(n, 0);
    std::visit(Overloaded{
                   [&](const lang::Constant& node) { std::fill(value.begin(), value.end(), node.value ? kAll : 0); },
                   [&](const lang::SymbolAtom& node) {
                     for (std::size_t i = 0; i < n; ++i)
                       for (std::size_t w = 0; w < lanes; ++w)
                         value[i] |= static_cast<std::uint64_t>(symbols[i * stride + w] == node.symbol ? 1 : 0) << w;
                   },
                   [&](const lang::Unary& node) { unary(node.op, values_[node.arg.index], value); },
                   [&](const lang::Binary& node) {
                     binary(node.op, values_[node.left.index], values_[node.right.index], value);
                   },
                   [&](const lang::Comparison& node) { compare(node, value); },
                   [&](const lang::PositionPredicate& node) {
                     for (std::size_t i = 0; i < n; ++i)
                       value[i] = oracle::holds(formula_[node.predicate], static_cast<std::int64_t>(i) + 1,
                                                static_cast<std::int64_t>(n))
                                      ? kAll
                                      : 0;
                   },
                   [&](const lang::CountPredicate& node) { predicate(node, value); },
                   [&](const lang::Congruence& node) { congruence(node, value); },
               },
               formula_[lang::FormulaId(k)]);
  }
  return values_[formula_.root.index];
}

void SlicedOracle::unary(Operator op, const Slices& p, Slices& value) const {
  std::uint64_t last = 0;
  const auto rightwards = [&](std::uint64_t edge, auto step) {
    last = edge;
    for (std::size_t i = 0; i < n_; ++i) value[i] = step(p[i]);
  };
  const auto leftwards = [&](std::uint64_t edge, auto step) {
    last = edge;
    for (std::size_t i = n_; i-- > 0;) value[i] = step(p[i]);
  };
  const auto neighbour = [&](std::uint64_t x) { return std::exchange(last, x); };
  const auto any = [&](std::uint64_t x) { return last |= x; };
  const auto every = [&](std::uint64_t x) { return last &= x; };
  switch (op) {
    case Operator::not_:
      return rightwards(0, [](std::uint64_t x) { return ~x; });
    case Operator::previous:
      return rightwards(0, neighbour);
    case Operator::weak_previous:
      return rightwards(kAll, neighbour);
    case Operator::once:
      return rightwards(0, any);
    case Operator::historically:
      return rightwards(kAll, every);
    case Operator::next:
      return leftwards(0, neighbour);
    case Operator::weak_next:
      return leftwards(kAll, neighbour);
    case Operator::eventually:
      return leftwards(0, any);
    case Operator::always:
      return leftwards(kAll, every);
    QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
      QUENCH_ASSERT(false && "not a unary operator");
  }
}

void SlicedOracle::binary(Operator op, const Slices& p, const Slices& q, Slices& value) const {
  std::uint64_t last = 0;
  const auto rightwards = [&](auto step) {
    for (std::size_t i = 0; i < n_; ++i) value[i] = last = step(p[i], q[i]);
  };
  const auto leftwards = [&](std::uint64_t edge, auto step) {
    last = edge;
    for (std::size_t i = n_; i-- > 0;) value[i] = last = step(p[i], q[i]);
  };
  using Bits = std::uint64_t;
  switch (op) {
    case Operator::and_:
      return rightwards([](Bits x, Bits y) { return x & y; });
    case Operator::or_:
      return rightwards([](Bits x, Bits y) { return x | y; });
    case Operator::implies:
      return rightwards([](Bits x, Bits y) { return ~x | y; });
    case Operator::iff:
      return rightwards([](Bits x, Bits y) { return ~(x ^ y); });
    case Operator::xor_:
      return rightwards([](Bits x, Bits y) { return x ^ y; });
    case Operator::since:
      return rightwards([&](Bits x, Bits y) { return x & (y | last); });
    case Operator::standard_since:
      return rightwards([&](Bits x, Bits y) { return y | (x & last); });
    case Operator::until:
      return leftwards(0, [&](Bits x, Bits y) { return x & (y | last); });
    case Operator::standard_until:
      return leftwards(0, [&](Bits x, Bits y) { return y | (x & last); });
    case Operator::weak_until:
      return leftwards(kAll, [&](Bits x, Bits y) { return y | (x & last); });
    case Operator::release:
      return leftwards(kAll, [&](Bits x, Bits y) { return y & (x | last); });
    QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
      QUENCH_ASSERT(false && "not a binary operator");
  }
}

SlicedOracle::Counts SlicedOracle::count(const lang::Count& count) const {
  const Slices& p = values_[count.of.index];
  Counts number(n_ * kSlice);
  std::int64_t seen[kSlice] = {};
  const auto add = [&](std::size_t i) {
    for (std::size_t w = 0; w < kSlice; ++w) seen[w] += static_cast<std::int64_t>(p[i] >> w & 1);
    std::copy_n(seen, kSlice, number.data() + i * kSlice);
  };
  if (count.scope == Scope::right)
    for (std::size_t i = n_; i-- > 0;) add(i);
  else
    for (std::size_t i = 0; i < n_; ++i) add(i);
  if (count.scope == Scope::all)
    for (std::size_t i = 0; i < n_; ++i) std::copy_n(seen, kSlice, number.data() + i * kSlice);
  return number;
}

SlicedOracle::Counts SlicedOracle::term(lang::TermId id) const {
  Counts sum(n_ * kSlice, formula_[id].constant);
  for (const lang::Term::Part& part : formula_[id].parts) {
    const Counts number = count(part.count);
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += part.coefficient * number[p];
  }
  return sum;
}

void SlicedOracle::compare(const lang::Comparison& node, Slices& value) const {
  const Counts left = term(node.left), right = term(node.right);
  for (std::size_t i = 0; i < n_; ++i)
    value[i] = slice_of(
        [&](std::size_t w) { return oracle::compare(node.relation, left[i * kSlice + w], right[i * kSlice + w]); });
}

/// Coefficients modulo m, so that nothing overflows.
void SlicedOracle::congruence(const lang::Congruence& node, Slices& value) const {
  const auto [m, r] = *residue_class(formula_[node.predicate]);
  const lang::Term& of = formula_[node.term];
  std::vector<Int128> sum(n_ * kSlice, of.constant % m);
  for (const lang::Term::Part& part : of.parts) {
    const Counts number = count(part.count);
    for (std::size_t p = 0; p < sum.size(); ++p) sum[p] += static_cast<Int128>(part.coefficient % m) * number[p];
  }
  for (std::size_t i = 0; i < n_; ++i)
    value[i] = slice_of([&, rest = r, modulus = m](std::size_t w) { return (sum[i * kSlice + w] - rest) % modulus == 0; });
}

void SlicedOracle::predicate(const lang::CountPredicate& node, Slices& value) const {
  std::vector<bool> holds(n_ + 1);
  for (std::size_t x = 0; x <= n_; ++x)
    holds[x] = oracle::holds(formula_[node.predicate], static_cast<std::int64_t>(x), static_cast<std::int64_t>(n_));
  const Counts number = count(node.count);
  for (std::size_t i = 0; i < n_; ++i)
    value[i] = slice_of([&](std::size_t w) { return holds[static_cast<std::size_t>(number[i * kSlice + w])]; });
}

}  // namespace quench::verify
