#include "lower/program/elaborate.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/error.h"
#include "base/overloaded.h"
#include "lang/print/print_program.h"

namespace quench::lower {

using namespace lang;

namespace {

/// Integers without vectors have few values; more than this are not worth listing.
constexpr std::size_t kMostSums = 256;

std::int64_t plus(std::int64_t a, std::int64_t b, std::int64_t factor) {
  std::int64_t product = 0, sum = 0;
  const bool overflow = __builtin_mul_overflow(b, factor, &product) || __builtin_add_overflow(a, product, &sum);
  if (overflow || sum == std::numeric_limits<std::int64_t>::max())  // its successor is a number too
    throw UserError("the program's arithmetic exceeds 64 bits");
  return sum;
}

bool holds(Relation relation, std::int64_t a, std::int64_t b) {
  switch (relation) {
    case Relation::less_equal:
      return a <= b;
    case Relation::less:
      return a < b;
    case Relation::greater_equal:
      return a >= b;
    case Relation::greater:
      return a > b;
    case Relation::equal:
      return a == b;
    case Relation::not_equal:
      return a != b;
  }
  return false;
}

}  // namespace

// The same operations on bits at one position and on functions of two.

struct Elaboration::LocalOps {
  using Value = Bit;
  Elaboration& self;
  Bit truth(bool value) { return self.truth(value); }
  Bit negation(Bit a) { return BooleanAlgebra::negation(a); }
  Bit conjunction(Bit a, Bit b) { return self.conjunction({a, b}); }
  Bit disjunction(Bit a, Bit b) { return self.disjunction({a, b}); }
  const Finite<Bit>& operand(ExpressionId id) { return self.local(id); }
};

struct Elaboration::MixedOps {
  using Value = Partition;
  Elaboration& self;
  Partition truth(bool value) { return self.partitions_.of_key(self.truth(value)); }
  Partition negation(Partition a) { return self.partitions_.negation(std::move(a)); }
  Partition conjunction(const Partition& a, const Partition& b) { return self.partitions_.conjunction(a, b); }
  Partition disjunction(const Partition& a, const Partition& b) { return self.partitions_.disjunction(a, b); }
  const Finite<Partition>& operand(ExpressionId id) { return self.mixed(id); }
};

void Elaboration::too_many(ExpressionId id) const {
  throw DiagnosticError(
      {Diagnostic{"E121",
                  "this expression distinguishes too many cases of what is read at i and j",
                  program_.span(id),
                  {"a score is a sum over the cases of i, and there are more than " + std::to_string(kMostBoxes),
                   "use a symbol vector instead of many Boolean ones, as in `key(i) = key(j)`"}}});
}

bool Elaboration::finite(ExpressionId) const { return true; }
void Elaboration::integer_vector(VectorId id) {
  throw DiagnosticError({Diagnostic{"E122",
                                    "'" + program_[id].name + "' is a vector of integers, which B-RASP lacks",
                                    program_[id].span,
                                    {"where 0 and 1 stand for truth values, write `false` and `true`"}}});
}
void Elaboration::score_vector(VectorId) { internal_error("score", __FILE__, __LINE__); }
Bit Elaboration::compare(ExpressionId, const Compare&) { internal_error("comparison", __FILE__, __LINE__); }
Elaboration::Retrieved Elaboration::attend_equal(const Attention&, const std::vector<Bit>&, const std::string&) {
  internal_error("equality attention", __FILE__, __LINE__);
}

void Elaboration::run() {
  const std::vector<bool> needed = program_.needed();
  for (std::size_t k = 0; k < program_.vector_count(); ++k) {
    const VectorId id(k);
    if (!needed[k]) continue;
    const Vector& vector = program_[id];
    if (vector.sort == Sort::integer) {
      integer_vector(id);
    } else if (vector.sort == Sort::score) {
      score_vector(id);
    } else if (const auto* pointwise = std::get_if<Pointwise>(&vector.definition)) {
      vectors_[k] = local(pointwise->value);
    } else {
      attention(id, std::get<Attention>(vector.definition));
    }
    for (const auto& [value, bit] : vectors_[k].cases)
      name(bit, vector.sort == Sort::symbol && value >= 0
                    ? vector.name + " = " + program_.alphabet.symbols()[static_cast<std::size_t>(value)]
                    : vector.name);
  }
}

bool Elaboration::is_mixed(ExpressionId id) const { return program_.reads(id, At::i) && program_.reads(id, At::j); }

Bit Elaboration::choose(Bit condition, Bit yes, Bit no) {
  return disjunction({conjunction({condition, yes}), conjunction({negation(condition), no})});
}

/// The bit of one case. Of a symbol, the case "not mentioned" is that none of the others holds.
template <class Ops>
typename Ops::Value Elaboration::case_of(Ops& ops, const Finite<typename Ops::Value>& finite, Sort sort,
                                         std::int64_t value) {
  if (const auto found = finite.cases.find(value); found != finite.cases.end()) return found->second;
  const bool rest = (sort == Sort::symbol && value == kUnmentioned) || (sort == Sort::string && value == -2);
  if (!rest) return ops.truth(false);
  auto none = ops.truth(true);
  for (const auto& [other, bit] : finite.cases) none = ops.conjunction(none, ops.negation(bit));
  return none;
}

/// The cases of an expression from those of its operands, by kind of expression.
template <class Ops>
struct Elaboration::Combiner {
  using Value = typename Ops::Value;
  using Result = Finite<Value>;
  using Sums = std::map<std::int64_t, std::optional<Value>>;

  Elaboration& elaboration;
  Ops& ops;

  Result operator()(const BooleanConstant& x) const { return boolean(ops.truth(x.value)); }
  Result operator()(const SymbolConstant& x) const { return Result{{{x.symbol, ops.truth(true)}}}; }
  Result operator()(const StringConstant& x) const { return Result{{{x.string, ops.truth(true)}}}; }
  Result operator()(const IntegerConstant& x) const { return Result{{{x.value, ops.truth(true)}}}; }
  Result operator()(const Negation& x) const { return boolean(ops.negation(truth_of(x.of))); }

  Result operator()(const Connection& x) const {
    const Value a = truth_of(x.left), b = truth_of(x.right);
    switch (x.op) {
      case Connective::and_:
        return boolean(ops.conjunction(a, b));
      case Connective::or_:
        return boolean(ops.disjunction(a, b));
      case Connective::implies:
        return boolean(ops.disjunction(ops.negation(a), b));
      case Connective::iff:
      case Connective::xor_:
        break;
    }
    const Value same = ops.disjunction(ops.conjunction(a, b), ops.conjunction(ops.negation(a), ops.negation(b)));
    return boolean(x.op == Connective::iff ? same : ops.negation(same));
  }

  Result operator()(const SameSymbol& x) const {
    const Result a = ops.operand(x.left), b = ops.operand(x.right);
    std::optional<Value> sum;
    for (const auto& [value, bit] : a.cases)
      if (value != kUnmentioned && b.cases.contains(value)) either(sum, ops.conjunction(bit, b.cases.at(value)));
    const auto constant = [&](ExpressionId side) {
      return std::holds_alternative<SymbolConstant>(elaboration.program_[side]);
    };
    if (!constant(x.left) && !constant(x.right))
      either(sum, ops.conjunction(elaboration.case_of(ops, a, Sort::symbol, kUnmentioned),
                                  elaboration.case_of(ops, b, Sort::symbol, kUnmentioned)));
    return any_of(sum);
  }

  Result operator()(const MemberOf& x) const {
    const Result a = ops.operand(x.of);
    std::optional<Value> sum;
    for (const Symbol s : x.symbols)
      if (a.cases.contains(s)) either(sum, a.cases.at(s));
    return any_of(sum);
  }

  Result operator()(const Compare& x) const {
    const Result a = ops.operand(x.left), b = ops.operand(x.right);
    std::optional<Value> sum;
    for (const auto& [left, p] : a.cases)
      for (const auto& [right, q] : b.cases)
        if (holds(x.relation, left, right)) either(sum, ops.conjunction(p, q));
    return any_of(sum);
  }

  Result operator()(const AsInteger& x) const {
    const Value a = truth_of(x.of);
    return Result{{{0, ops.negation(a)}, {1, a}}};
  }

  Result operator()(const AsString& x) const {
    Result result;
    for (const auto& [value, bit] : ops.operand(x.of).cases)
      if (value != kUnmentioned) result.cases.emplace(-3 - value, bit);
    return result;
  }

  Result operator()(const Sum& x) const {
    const Result a = ops.operand(x.left), b = ops.operand(x.right);
    Sums sums;
    for (const auto& [left, p] : a.cases)
      for (const auto& [right, q] : b.cases) either(sums[plus(left, right, x.factor)], ops.conjunction(p, q));
    if (sums.size() > kMostSums) throw TooManyClasses();
    return cases_of(sums);
  }

  Result operator()(const Choice& x) const {
    const Value condition = truth_of(x.condition), otherwise = ops.negation(condition);
    const Result yes = ops.operand(x.yes), no = ops.operand(x.no);
    Sums merged;
    for (const auto& [value, bit] : yes.cases) either(merged[value], ops.conjunction(condition, bit));
    for (const auto& [value, bit] : no.cases) either(merged[value], ops.conjunction(otherwise, bit));
    return cases_of(merged);
  }

  template <class Leaf>
  Result operator()(const Leaf&) const {
    internal_error("leaf", __FILE__, __LINE__);
  }

 private:
  static Result boolean(Value value) { return Result{{{1, std::move(value)}}}; }
  Value truth_of(ExpressionId operand) const { return ops.operand(operand).cases.at(1); }
  void either(std::optional<Value>& sum, Value value) const {
    sum = sum ? ops.disjunction(*sum, value) : std::move(value);
  }
  Result any_of(const std::optional<Value>& sum) const { return boolean(sum ? *sum : ops.truth(false)); }
  static Result cases_of(Sums& sums) {
    Result result;
    for (auto& [value, bit] : sums) result.cases.emplace(value, std::move(*bit));
    return result;
  }
};

template <class Ops>
Finite<typename Ops::Value> Elaboration::combine(Ops& ops, ExpressionId id) {
  return std::visit(Combiner<Ops>{*this, ops}, program_[id]);
}

/// Of one position: everything it depends on comes first, so nothing recurses more than once.
const Finite<Bit>& Elaboration::local(ExpressionId root) {
  const auto known = local_.find(root.index);
  if (known != local_.end()) return known->second;
  LocalOps ops{*this};
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (local_.contains(id.index)) continue;
    if (program_.sort(id) == Sort::integer && !finite(id)) continue;
    Finite<Bit> result;
    if (std::holds_alternative<Input>(program_[id])) {
      for (std::size_t s = 0; s < program_.alphabet.size(); ++s)
        result.cases.emplace(static_cast<std::int64_t>(s), symbol(static_cast<Symbol>(s)));
    } else if (const auto* at = std::get_if<VectorAt>(&program_[id])) {
      result = vectors_[at->vector.index];
    } else if (const auto* comparison = std::get_if<Compare>(&program_[id]);
               comparison && !(finite(comparison->left) && finite(comparison->right))) {
      result.cases.emplace(1, compare(id, *comparison));
    } else {
      try {
        result = combine(ops, id);
      } catch (const TooManyClasses&) {
        too_many(id);
      }
    }
    local_.emplace(id.index, std::move(result));
  }
  return local_.at(root.index);
}

/// A value of one position as a function of two.
Finite<Partition> Elaboration::lifted(ExpressionId id) {
  const Finite<Bit> here = local(id);
  Finite<Partition> result;
  if (!program_.reads(id, At::i)) {
    for (const auto& [value, bit] : here.cases) result.cases.emplace(value, partitions_.of_key(bit));
    return result;
  }
  LocalOps ops{*this};
  Variable variable;
  const Sort sort = program_.sort(id);
  if (sort == Sort::boolean) variable.cases = {negation(here.cases.at(1))};
  if (sort == Sort::symbol || sort == Sort::string)
    variable.cases = {case_of(ops, here, sort, sort == Sort::symbol ? kUnmentioned : -2)};
  for (const auto& [value, bit] : here.cases) variable.cases.push_back(bit);
  std::uint32_t number = static_cast<std::uint32_t>(variable.cases.size() - here.cases.size());
  for (const auto& [value, bit] : here.cases) result.cases.emplace(value, partitions_.of_query(variable, number++));
  return result;
}

const Finite<Partition>& Elaboration::mixed(ExpressionId root) {
  const auto known = mixed_.find(root.index);
  if (known != mixed_.end()) return known->second;
  MixedOps ops{*this};
  // Only what leads to the root through expressions of both positions.
  std::vector<ExpressionId> pending{root};
  std::set<ExpressionId> wanted;
  while (!pending.empty()) {
    const ExpressionId id = pending.back();
    pending.pop_back();
    if (!wanted.insert(id).second || !is_mixed(id)) continue;
    for_each_operand(program_[id], [&](ExpressionId operand) { pending.push_back(operand); });
  }
  for (const ExpressionId id : expressions_of(program_, {root})) {
    if (!wanted.contains(id) || mixed_.contains(id.index)) continue;
    try {
      mixed_.emplace(id.index, is_mixed(id) ? combine(ops, id) : lifted(id));
    } catch (const TooManyClasses&) {
      too_many(id);
    }
  }
  return mixed_.at(root.index);
}

}  // namespace quench::lower
