#include "automata/translate/logic.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace quench::automata {

using lang::Operator;

bool Logic::is(Id p, bool value) const {
  const auto* constant = std::get_if<lang::Constant>(&formula_[p]);
  return constant && constant->value == value;
}

/// Whether negation makes p no longer: it is a negation, or put together of such.
bool Logic::negates_freely(Id p, int depth) const {
  if (const auto* node = std::get_if<lang::Unary>(&formula_[p])) return node->op == Operator::not_;
  if (const auto* node = std::get_if<lang::Binary>(&formula_[p]))
    return (node->op == Operator::and_ || node->op == Operator::or_) && depth < 30 && negates_freely(node->left, depth + 1) &&
           negates_freely(node->right, depth + 1);
  const auto* position = std::get_if<lang::PositionPredicate>(&formula_[p]);
  const auto* count = std::get_if<lang::CountPredicate>(&formula_[p]);
  if (!position && !count) return false;
  const Predicate::Kind kind = formula_[position ? position->predicate : count->predicate].kind;
  return kind == Predicate::Kind::odd || kind == Predicate::Kind::even;
}

Logic::Id Logic::negation(Id p) {
  if (is(p, true) || is(p, false)) return constant(is(p, false));
  if (const auto* node = std::get_if<lang::Unary>(&formula_[p]); node && node->op == Operator::not_) return node->arg;
  // odd and even stand for each other.
  if (const auto* node = std::get_if<lang::PositionPredicate>(&formula_[p]))
    if (const Predicate& predicate = formula_[node->predicate];
        predicate.kind == Predicate::Kind::odd || predicate.kind == Predicate::Kind::even)
      return position_mod(2, predicate.kind == Predicate::Kind::odd ? 0 : 1);
  if (const auto* node = std::get_if<lang::CountPredicate>(&formula_[p]))
    if (const Predicate& predicate = formula_[node->predicate];
        predicate.kind == Predicate::Kind::odd || predicate.kind == Predicate::Kind::even)
      return count_mod(2, predicate.kind == Predicate::Kind::odd ? 0 : 1, Id(node->count.of));
  if (const auto* node = std::get_if<lang::Binary>(&formula_[p]); node && negates_freely(p, 0)) {
    const auto [op, left, right] = *node;
    const Id first = negation(left), second = negation(right);
    return op == Operator::and_ ? any_of({first, second}) : all_of({first, second});
  }
  return formula_.add(lang::Unary{Operator::not_, p});
}

/// Parts that decide, that do not matter, that occur twice or with their negation.
Logic::Id Logic::joined(Operator op, std::vector<Id> parts) {
  const bool neutral = op == Operator::and_;
  std::vector<Id> kept;
  for (const Id part : parts) {
    if (is(part, neutral) || std::find(kept.begin(), kept.end(), part) != kept.end()) continue;
    if (is(part, !neutral) || std::find(kept.begin(), kept.end(), negation(part)) != kept.end())
      return constant(!neutral);
    kept.push_back(part);
  }
  if (kept.empty()) return constant(neutral);
  Id result = kept[0];
  for (std::size_t k = 1; k < kept.size(); ++k) result = formula_.add(lang::Binary{op, result, kept[k]});
  return result;
}

Logic::Id Logic::unary(Operator op, Id p) {
  if (op == Operator::not_) return negation(p);
  const bool stays = op == Operator::once || op == Operator::historically;
  if ((is(p, true) || is(p, false)) && stays) return p;
  if (is(p, true) && op == Operator::weak_previous) return p;
  if (is(p, false) && op == Operator::previous) return p;
  if (positions_ && is(p, false) && op == Operator::weak_previous) return first_position();
  if (positions_ && is(p, true) && op == Operator::previous) return negation(first_position());
  // H !p is !O p, and Z !p is !prev p: one form for each.
  if (const auto* node = std::get_if<lang::Unary>(&formula_[p]); node && node->op == Operator::not_) {
    const Id arg = node->arg;
    if (op == Operator::historically) return negation(unary(Operator::once, arg));
    if (op == Operator::weak_previous) return negation(unary(Operator::previous, arg));
  }
  return formula_.add(lang::Unary{op, p});
}

Logic::Id Logic::since(Id p, Id q) {
  if (is(q, true) || is(q, false) || is(p, false)) return q;
  if (is(p, true) || q == negation(p)) return unary(Operator::once, q);  // p holds from the last !p on
  return formula_.add(lang::Binary{Operator::standard_since, p, q});
}

lang::PredicateId Logic::mod_predicate(std::int64_t m, std::int64_t r) {
  r = ((r % m) + m) % m;
  Predicate predicate;
  if (m == 2) {
    predicate.kind = r == 1 ? Predicate::Kind::odd : Predicate::Kind::even;
    predicate.name = r == 1 ? "odd" : "even";
  } else {
    predicate.kind = Predicate::Kind::mod;
    predicate.modulus = m;
    predicate.residue = r;
    predicate.name = fmt::format("mod({},{})", m, r);
  }
  return formula_.add(predicate);
}

Logic::Id Logic::count_mod(std::int64_t m, std::int64_t r, Id p) {
  if (is(p, false)) return constant(r % m == 0);
  if (is(p, true)) return position_mod(m, r);
  return formula_.add(lang::CountPredicate{mod_predicate(m, r), {lang::Scope::left, p}});
}

Logic::Id Logic::position_mod(std::int64_t m, std::int64_t r) {
  return formula_.add(lang::PositionPredicate{mod_predicate(m, r)});
}

Logic::Id Logic::first_position() {
  Predicate predicate;
  predicate.kind = Predicate::Kind::first;
  predicate.name = "first";
  return formula_.add(lang::PositionPredicate{formula_.add(predicate)});
}

/// Equal counts are one, and c·κ ≡ r (mod m) of one count alone is a condition on κ modulo m/gcd(c, m).
Logic::Id Logic::sum_mod(std::int64_t m, std::int64_t r, const std::vector<std::pair<std::int64_t, Id>>& parts) {
  const auto modulo = [m](std::int64_t x) { return (x % m + m) % m; };
  lang::Term term;
  for (const auto& [coefficient, p] : parts) {
    if (is(p, false)) continue;
    const auto same = std::find_if(term.parts.begin(), term.parts.end(),
                                   [&, of = p](const lang::Term::Part& part) { return part.count.of == of; });
    if (same == term.parts.end())
      term.parts.push_back({modulo(coefficient), {lang::Scope::left, p}});
    else
      same->coefficient = modulo(same->coefficient + coefficient);
  }
  std::erase_if(term.parts, [](const lang::Term::Part& part) { return part.coefficient == 0; });
  if (term.parts.empty()) return constant(modulo(r) == 0);
  if (term.parts.size() == 1) {
    const auto [c, count] = term.parts[0];
    const std::int64_t order = m / std::gcd(c, m);
    for (std::int64_t v = 0; v < order; ++v)
      if (modulo(c * v - r) == 0) return count_mod(order, v, count.of);
    return constant(false);
  }
  const lang::TermId id = formula_.add(term);
  return formula_.add(lang::Congruence{mod_predicate(m, r), id});
}

Logic::Id Logic::sum_compares(const std::vector<std::pair<std::int64_t, Id>>& parts, lang::Relation relation,
                              std::int64_t value) {
  lang::Term left, right;
  right.constant = value;
  for (const auto& [coefficient, p] : parts) left.parts.push_back({coefficient, {lang::Scope::left, p}});
  const lang::TermId l = formula_.add(left), r = formula_.add(right);
  return formula_.add(lang::Comparison{relation, l, r});
}

}  // namespace quench::automata
