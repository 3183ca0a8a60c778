// Numerical predicates as ONNX operators on 64-bit integers. `Mod` is the remainder with the sign of the divisor, `Div`
// cuts off, and roots are those of doubles, rounded and then checked, so they need only be right to within one half.
#include <limits>

#include "base/error.h"
#include "export/onnx/positions.h"

namespace quench::exports {

namespace {

using Value = OnnxGraph::Value;
using Op = IntInstruction::Op;
using Kind = Predicate::Kind;

class PredicateNodes {
 public:
  PredicateNodes(OnnxGraph& graph, const Value& x, const Value& n) : graph_(graph), x_(x), n_(n) {}

  Value holds(const Predicate& predicate) {
    switch (predicate.kind) {
      case Kind::odd:
        return congruent(2, 1);
      case Kind::even:
        return congruent(2, 0);
      case Kind::mod:
        return congruent(predicate.modulus, predicate.residue);
      case Kind::prime:
        return prime();
      case Kind::square:
        return power_of_root(x_, 2);
      case Kind::cube:
        return power_of_root(x_, 3);
      case Kind::triangular:  // x = r(r+1)/2 exactly where 8x + 1 is a square
        return power_of_root(with("Add", with("Mul", x_, number(8)), number(1)), 2);
      case Kind::pow2:
        return member(powers_of_two());
      case Kind::fibonacci:
        return member(fibonacci_numbers());
      case Kind::first:
        return with("Equal", x_, number(1));
      case Kind::last:
        return with("Equal", x_, n_);
      case Kind::set:
        return member(predicate.members);
      case Kind::expression:
        return expression(predicate);
    }
    throw InternalError("predicate of unknown kind");
  }

 private:
  Value number(std::int64_t value) { return graph_.integer(value); }
  Value with(const char* op, const Value& a, const Value& b) { return graph_.node(op, {a, b}); }
  Value zero_or_one(const Value& truth) { return graph_.cast(truth, OnnxType::i64); }
  Value is_zero(const Value& a) { return zero_or_one(with("Equal", a, number(0))); }
  Value not_zero(const Value& a) { return with("Sub", number(1), is_zero(a)); }
  Value column(const Value& row) { return graph_.node("Unsqueeze", {row, graph_.integers({1})}); }
  /// Which rows of a truth table hold anything true.
  Value any_in_row(const Value& table) {
    const Value greatest = graph_.node("ReduceMax", {zero_or_one(table)}, {{"axes", {1}}, {"keepdims", {0}}});
    return with("Equal", greatest, number(1));
  }

  Value congruent(std::int64_t modulus, std::int64_t residue) {
    const std::int64_t rest = (residue % modulus + modulus) % modulus;
    return with("Equal", with("Mod", x_, number(modulus)), number(rest));
  }

  /// x > 1, and no d with d·d ≤ x divides it. Candidates for d go one beyond √n.
  Value prime() {
    const Value root = graph_.node("Sqrt", {graph_.cast(n_, OnnxType::f64)});
    const Value last = with("Add", graph_.cast(root, OnnxType::i64), number(2));
    const Value d = graph_.node("Range", {number(2), last, number(1)});
    const Value x = column(x_);
    const Value divides = with("Equal", with("Mod", x, d), number(0));
    const Value small = with("LessOrEqual", with("Mul", d, d), x);
    const Value composite = any_in_row(with("And", divides, small));
    return with("And", with("Greater", x_, number(1)), graph_.node("Not", {composite}));
  }

  Value power_of_root(const Value& x, int power) {
    const Value real = graph_.cast(x, OnnxType::f64);
    const Value root = power == 2 ? graph_.node("Sqrt", {real}) : with("Pow", real, graph_.double_number(1.0 / 3));
    const Value r = graph_.cast(graph_.node("Round", {root}), OnnxType::i64);
    const Value square = with("Mul", r, r);
    return with("Equal", power == 2 ? square : with("Mul", square, r), x);
  }

  Value member(const std::vector<std::int64_t>& members) {
    if (members.empty()) return with("Less", x_, x_);
    return any_in_row(with("Equal", column(x_), graph_.integers(members)));
  }

  static std::vector<std::int64_t> powers_of_two() {
    std::vector<std::int64_t> powers;
    for (int exponent = 0; exponent < 63; ++exponent) powers.push_back(std::int64_t{1} << exponent);
    return powers;
  }

  static std::vector<std::int64_t> fibonacci_numbers() {
    std::vector<std::int64_t> numbers{0, 1, 2};
    while (numbers.back() <= std::numeric_limits<std::int64_t>::max() - numbers[numbers.size() - 2])
      numbers.push_back(numbers.back() + numbers[numbers.size() - 2]);
    return numbers;
  }

  Value divide(Op op, const Value& a, const Value& divisor) {
    const Value b = graph_.node("Where", {with("Equal", divisor, number(0)), number(1), divisor});
    const Value rest = with("Mod", a, b);
    return op == Op::modulo ? rest : with("Div", with("Sub", a, rest), b);
  }

  Value binary(Op op, const Value& a, const Value& b) {
    switch (op) {
      case Op::add:
        return with("Add", a, b);
      case Op::subtract:
        return with("Sub", a, b);
      case Op::multiply:
        return with("Mul", a, b);
      case Op::divide:
      case Op::modulo:
        return divide(op, a, b);
      case Op::equal:
        return zero_or_one(with("Equal", a, b));
      case Op::not_equal:
        return with("Sub", number(1), zero_or_one(with("Equal", a, b)));
      case Op::less:
        return zero_or_one(with("Less", a, b));
      case Op::less_equal:
        return zero_or_one(with("LessOrEqual", a, b));
      case Op::greater:
        return zero_or_one(with("Greater", a, b));
      case Op::greater_equal:
        return zero_or_one(with("GreaterOrEqual", a, b));
      case Op::logical_and:
        return with("Mul", not_zero(a), not_zero(b));
      case Op::logical_or:
        return not_zero(with("Add", not_zero(a), not_zero(b)));
      case Op::constant:
      case Op::x:
      case Op::n:
      case Op::negate:
      case Op::logical_not:
        break;
    }
    throw InternalError("not a binary operation");
  }

  Value expression(const Predicate& predicate) {
    std::vector<Value> stack;
    const auto pop = [&] {
      QUENCH_ASSERT(!stack.empty());
      Value top = std::move(stack.back());
      stack.pop_back();
      return top;
    };
    for (const IntInstruction& instruction : predicate.code) {
      if (instruction.op == Op::constant) {
        stack.push_back(number(instruction.value));
      } else if (instruction.op == Op::x) {
        stack.push_back(x_);
      } else if (instruction.op == Op::n) {
        stack.push_back(n_);
      } else if (instruction.op == Op::negate) {
        stack.push_back(graph_.node("Neg", {pop()}));
      } else if (instruction.op == Op::logical_not) {
        stack.push_back(is_zero(pop()));
      } else {
        const Value right = pop(), left = pop();
        stack.push_back(binary(instruction.op, left, right));
      }
    }
    const Value at_every_position = with("Add", pop(), with("Mul", x_, number(0)));
    return graph_.node("Not", {with("Equal", at_every_position, number(0))});
  }

  OnnxGraph& graph_;
  Value x_, n_;
};

}  // namespace

OnnxGraph::Value predicate_node(OnnxGraph& graph, const Predicate& predicate, const Value& x, const Value& n) {
  return PredicateNodes(graph, x, n).holds(predicate);
}

}  // namespace quench::exports
