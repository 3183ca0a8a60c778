// The definitions of the operators transcribed literally: quantifiers are loops over positions 1, …, n. Slow on
// purpose, and sharing nothing with the oracle but the formula itself.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "lang/formula.h"

namespace quench {

class BruteForce {
 public:
  BruteForce(const lang::Formula& formula, const Word& word)
      : formula_(formula), word_(word), n_(static_cast<int>(word.size())) {}

  /// w, i ⊨ φ
  bool sat(int i, lang::FormulaId id) const {
    const lang::Node& node = formula_[id];
    if (const auto* constant = std::get_if<lang::Constant>(&node)) return constant->value;
    if (const auto* atom = std::get_if<lang::SymbolAtom>(&node))
      return word_[static_cast<std::size_t>(i - 1)] == atom->symbol;
    if (const auto* unary_node = std::get_if<lang::Unary>(&node)) return unary(i, *unary_node);
    if (const auto* binary_node = std::get_if<lang::Binary>(&node)) return binary(i, *binary_node);
    if (const auto* comparison_node = std::get_if<lang::Comparison>(&node)) return comparison(i, *comparison_node);
    if (const auto* theta = std::get_if<lang::PositionPredicate>(&node)) return holds(formula_[theta->predicate], i);
    if (const auto* congruence = std::get_if<lang::Congruence>(&node))
      return leaves_rest(formula_[congruence->predicate], term(i, formula_[congruence->term]));
    const auto& theta = std::get<lang::CountPredicate>(node);
    return holds(formula_[theta.predicate], count(i, theta.count));
  }

 private:
  using Property = std::function<bool(int)>;

  static bool exists(int from, int to, const Property& property) {
    for (int j = from; j <= to; ++j)
      if (property(j)) return true;
    return false;
  }
  static bool all(int from, int to, const Property& property) {
    for (int j = from; j <= to; ++j)
      if (!property(j)) return false;
    return true;
  }

  bool unary(int i, const lang::Unary& node) const {
    using lang::Operator;
    const Property p = [&](int j) { return sat(j, node.arg); };
    switch (node.op) {
      case Operator::not_:
        return !p(i);
      case Operator::previous:
        return i != 1 && p(i - 1);
      case Operator::next:
        return i != n_ && p(i + 1);
      case Operator::weak_previous:
        return i == 1 || p(i - 1);
      case Operator::weak_next:
        return i == n_ || p(i + 1);
      case Operator::once:
        return exists(1, i, p);
      case Operator::historically:
        return all(1, i, p);
      case Operator::eventually:
        return exists(i, n_, p);
      case Operator::always:
        return all(i, n_, p);
      QUENCH_BINARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
    }
    throw std::logic_error("not unary");
  }

  bool binary(int i, const lang::Binary& node) const {
    using lang::Operator;
    const Property p = [&](int j) { return sat(j, node.left); };
    const Property q = [&](int j) { return sat(j, node.right); };
    switch (node.op) {
      case Operator::and_:
        return p(i) && q(i);
      case Operator::or_:
        return p(i) || q(i);
      case Operator::implies:
        return !(p(i) && !q(i));
      case Operator::iff:
        return p(i) == q(i);
      case Operator::xor_:
        return p(i) != q(i);
      case Operator::since:
        return exists(1, i, [&](int j) { return q(j) && all(j, i, p); });
      case Operator::until:
        return exists(i, n_, [&](int j) { return q(j) && all(i, j, p); });
      case Operator::standard_since:
        return exists(1, i, [&](int j) { return q(j) && all(j + 1, i, p); });
      case Operator::standard_until:
        return exists(i, n_, [&](int j) { return q(j) && all(i, j - 1, p); });
      case Operator::weak_until:
        return all(i, n_, p) || exists(i, n_, [&](int j) { return q(j) && all(i, j - 1, p); });
      case Operator::release:
        return all(i, n_, q) || exists(i, n_, [&](int j) { return p(j) && all(i, j, q); });
      QUENCH_UNARY_OPERATORS(QUENCH_OPERATOR_CASE)
      break;
    }
    throw std::logic_error("not binary");
  }

  bool comparison(int i, const lang::Comparison& node) const {
    const std::int64_t a = term(i, formula_[node.left]), b = term(i, formula_[node.right]);
    switch (node.relation) {
      case lang::Relation::less_equal:
        return a <= b;
      case lang::Relation::less:
        return a < b;
      case lang::Relation::greater_equal:
        return a >= b;
      case lang::Relation::greater:
        return a > b;
      case lang::Relation::equal:
        return a == b;
      case lang::Relation::not_equal:
        return a != b;
    }
    return false;
  }

  std::int64_t term(int i, const lang::Term& term) const {
    std::int64_t sum = term.constant;
    for (const lang::Term::Part& part : term.parts) sum += part.coefficient * count(i, part.count);
    return sum;
  }

  int count(int i, const lang::Count& count) const {
    int number = 0;
    for (int j = 1; j <= n_; ++j) {
      const bool visible = count.scope == lang::Scope::left    ? j <= i
                           : count.scope == lang::Scope::right ? j >= i
                                                               : true;
      if (visible && sat(j, count.of)) ++number;
    }
    return number;
  }

  /// By steps of m towards r.
  static bool leaves_rest(const Predicate& predicate, std::int64_t x) {
    const bool mod = predicate.kind == Predicate::Kind::mod;
    const std::int64_t m = mod ? predicate.modulus : 2;
    const std::int64_t r = mod ? predicate.residue : predicate.kind == Predicate::Kind::odd ? 1 : 0;
    while (x < r) x += m;
    while (x > r) x -= m;
    return x == r;
  }

  /// By search for the number that makes it true.
  bool holds(const Predicate& predicate, int x) const {
    using Kind = Predicate::Kind;
    const auto some = [&](const std::function<bool(int)>& p) { return exists(0, x, p); };
    switch (predicate.kind) {
      case Kind::odd:
        return some([&](int k) { return x == 2 * k + 1; });
      case Kind::even:
        return some([&](int k) { return x == 2 * k; });
      case Kind::mod:
        return some([&](int k) { return x == k * predicate.modulus + predicate.residue; });
      case Kind::prime:
        return x > 1 && all(2, x - 1, [&](int d) { return x % d != 0; });
      case Kind::square:
        return some([&](int k) { return x == k * k; });
      case Kind::cube:
        return some([&](int k) { return x == k * k * k; });
      case Kind::pow2:
        return x < (1 << 20) && some([&](int k) { return k < 20 && x == 1 << k; });
      case Kind::triangular:
        return some([&](int k) { return 2 * x == k * (k + 1); });
      case Kind::fibonacci: {
        std::vector<int> numbers{0, 1};
        while (numbers.back() < x) numbers.push_back(numbers[numbers.size() - 1] + numbers[numbers.size() - 2]);
        return exists(0, static_cast<int>(numbers.size()) - 1,
                      [&](int k) { return numbers[static_cast<std::size_t>(k)] == x; });
      }
      case Kind::first:
        return x == 1;
      case Kind::last:
        return x == n_;
      case Kind::set:
        for (const std::int64_t member : predicate.members)
          if (member == x) return true;
        return false;
      case Kind::expression:
        return user_defined(predicate, x, n_);
    }
    return false;
  }

  /// The two expressions that random formulas use, by name.
  static bool user_defined(const Predicate& predicate, int x, int n) {
    if (predicate.name == "residue") return x * x % 5 == 1;
    if (predicate.name == "below_root") return x * x <= n;
    throw std::logic_error("unknown predicate");
  }

  const lang::Formula& formula_;
  const Word& word_;
  int n_;
};

/// Calls `visit` for every word over `symbols` symbols (the last may be kUnmentioned) of length 1, …, longest.
inline void for_each_word(int symbols, bool with_unmentioned, std::size_t longest,
                          const std::function<void(const Word&)>& visit) {
  const Symbol least = with_unmentioned ? kUnmentioned : 0;
  for (std::size_t length = 1; length <= longest; ++length) {
    Word word(length, least);
    for (;;) {
      visit(word);
      std::size_t k = 0;
      while (k < length && word[k] == symbols - 1) word[k++] = least;
      if (k == length) break;
      ++word[k];
    }
  }
}

}  // namespace quench
