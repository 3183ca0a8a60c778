// Numerical predicates θ_n(x), each by its definition. The model has its own evaluator; the two are compared in tests.
#include <algorithm>

#include "base/error.h"
#include "base/number/int128.h"
#include "oracle/evaluate.h"

namespace quench::oracle {
namespace {

bool is_prime(std::int64_t x) {
  if (x < 2) return false;
  for (std::int64_t divisor = 2; divisor <= x / divisor; ++divisor)
    if (x % divisor == 0) return false;
  return true;
}

/// Whether f(k) = x for some k ≥ 0; f must not decrease.
template <class Function>
bool is_value(Function f, Int128 x) {
  Int128 low = 0, high = 1;
  while (f(high) < x) high *= 2;
  while (low < high) {  // the least k with f(k) ≥ x
    const Int128 middle = (low + high) / 2;
    if (f(middle) < x) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return f(low) == x;
}

bool is_fibonacci(std::int64_t x) {
  Int128 current = 0, next = 1;
  while (current < x) {
    const Int128 sum = current + next;
    current = next;
    next = sum;
  }
  return current == x;
}

[[noreturn]] void fail(const Predicate& predicate, const char* what, std::int64_t x, std::int64_t n) {
  throw UserError("predicate " + predicate.name + ": " + what + " at x = " + std::to_string(x) +
                  ", n = " + std::to_string(n));
}

/// Rounds towards −∞, as `/` does in predicates.
Int128 floor_divide(Int128 a, Int128 b) {
  const Int128 quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

/// Runs the postfix code of a user-defined predicate on a stack.
class Machine {
 public:
  Machine(const Predicate& predicate, std::int64_t x, std::int64_t n) : predicate_(predicate), x_(x), n_(n) {}

  bool run() {
    for (const IntInstruction& instruction : predicate_.code) step(instruction);
    QUENCH_ASSERT(stack_.size() == 1);
    return stack_.back() != 0;
  }

 private:
  void step(const IntInstruction& instruction) {
    using Op = IntInstruction::Op;
    switch (instruction.op) {
      case Op::constant:
        return stack_.push_back(instruction.value);
      case Op::x:
        return stack_.push_back(x_);
      case Op::n:
        return stack_.push_back(n_);
      case Op::negate:
        return stack_.push_back(binary(Op::subtract, 0, pop()));
      case Op::logical_not:
        return stack_.push_back(pop() == 0);
      default:
        break;
    }
    const Int128 right = pop();
    const Int128 left = pop();
    stack_.push_back(binary(instruction.op, left, right));
  }

  Int128 binary(IntInstruction::Op op, Int128 a, Int128 b) const {
    using Op = IntInstruction::Op;
    Int128 result = 0;
    switch (op) {
      case Op::add:
        return fits(!__builtin_add_overflow(a, b, &result)), result;
      case Op::subtract:
        return fits(!__builtin_sub_overflow(a, b, &result)), result;
      case Op::multiply:
        return fits(!__builtin_mul_overflow(a, b, &result)), result;
      case Op::divide:
        check_division(a, b);
        return floor_divide(a, b);
      case Op::modulo:
        check_division(a, b);
        return a - b * floor_divide(a, b);
      case Op::equal:
        return a == b;
      case Op::not_equal:
        return a != b;
      case Op::less:
        return a < b;
      case Op::less_equal:
        return a <= b;
      case Op::greater:
        return a > b;
      case Op::greater_equal:
        return a >= b;
      case Op::logical_and:
        return a != 0 && b != 0;
      case Op::logical_or:
        return a != 0 || b != 0;
      default:
        QUENCH_ASSERT(false && "not a binary instruction");
        return 0;
    }
  }

  void fits(bool ok) const {
    if (!ok) fail(predicate_, "a number exceeds 128 bits", x_, n_);
  }

  void check_division(Int128 a, Int128 b) const {
    if (b == 0) fail(predicate_, "division by zero", x_, n_);
    fits(b != -1 || a != std::numeric_limits<Int128>::min());  // the one quotient that does not fit
  }

  Int128 pop() {
    QUENCH_ASSERT(!stack_.empty());
    const Int128 top = stack_.back();
    stack_.pop_back();
    return top;
  }

  const Predicate& predicate_;
  std::int64_t x_, n_;
  std::vector<Int128> stack_;
};

}  // namespace

bool holds(const Predicate& predicate, std::int64_t x, std::int64_t n) {
  using Kind = Predicate::Kind;
  QUENCH_ASSERT(x >= 0);
  switch (predicate.kind) {
    case Kind::odd:
      return x % 2 == 1;
    case Kind::even:
      return x % 2 == 0;
    case Kind::mod:
      return x % predicate.modulus == predicate.residue;
    case Kind::prime:
      return is_prime(x);
    case Kind::square:
      return is_value([](Int128 k) { return k * k; }, x);
    case Kind::cube:
      return is_value([](Int128 k) { return k * k * k; }, x);
    case Kind::pow2:
      return x >= 1 && (x & (x - 1)) == 0;
    case Kind::triangular:
      return is_value([](Int128 k) { return k * (k + 1) / 2; }, x);
    case Kind::fibonacci:
      return is_fibonacci(x);
    case Kind::first:
      return x == 1;
    case Kind::last:
      return x == n;
    case Kind::set:
      return std::binary_search(predicate.members.begin(), predicate.members.end(), x);
    case Kind::expression:
      return Machine(predicate, x, n).run();
  }
  QUENCH_ASSERT(false && "unknown predicate");
  return false;
}

}  // namespace quench::oracle
