// Numerical predicates for position encodings. Written without looking at oracle/, which evaluates the same predicates
// for the direct semantics: the two check each other.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text/utf8.h"
#include "model/position.h"

namespace quench::model {

namespace {

__extension__ typedef __int128 Int128;  // NOLINT: __extension__ does not apply to `using`
__extension__ typedef unsigned __int128 UInt128;
using Op = IntInstruction::Op;
using Kind = Predicate::Kind;

std::uint64_t power_modulo(std::uint64_t base, std::uint64_t exponent, std::uint64_t modulus) {
  UInt128 result = 1, square = base % modulus;
  for (; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * square % modulus;
    square = square * square % modulus;
  }
  return static_cast<std::uint64_t>(result);
}

/// One round of Miller and Rabin: false proves `x` composite. x − 1 = odd · 2^twos.
bool passes(std::uint64_t x, std::uint64_t base, std::uint64_t odd, int twos) {
  std::uint64_t power = power_modulo(base, odd, x);
  if (power == 1 || power == x - 1) return true;
  for (int round = 1; round < twos; ++round) {
    power = static_cast<std::uint64_t>(static_cast<UInt128>(power) * power % x);
    if (power == x - 1) return true;
  }
  return false;
}

/// The first twelve primes as bases decide every x below 3.3·10^24 (Sorenson and Webster 2015).
bool is_prime(std::uint64_t x) {
  constexpr std::uint64_t kBases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  if (x < 2) return false;
  for (const std::uint64_t base : kBases)
    if (x % base == 0) return x == base;
  std::uint64_t odd = x - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  return std::all_of(std::begin(kBases), std::end(kBases),
                     [&](std::uint64_t base) { return passes(x, base, odd, twos); });
}

/// x = r² for an integer r; the floating root is off by at most one.
bool is_square(UInt128 x) {
  const auto guess = static_cast<UInt128>(std::sqrt(static_cast<long double>(x)));
  for (UInt128 root = guess > 1 ? guess - 2 : 0; root <= guess + 2; ++root)
    if (root * root == x) return true;
  return false;
}

bool is_cube(std::uint64_t x) {
  const auto guess = static_cast<UInt128>(std::cbrt(static_cast<double>(x)));
  for (UInt128 root = guess > 1 ? guess - 2 : 0; root <= guess + 2; ++root)
    if (root * root * root == x) return true;
  return false;
}

bool is_fibonacci(std::uint64_t x) {
  std::uint64_t a = 0, b = 1;
  while (a < x) b = std::exchange(a, b) + b;  // b may wrap in the very last step, where it is not used
  return a == x;
}

template <class Int>
Int floor_divide(Int a, Int b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}
template <class Int>
Int floor_modulo(Int a, Int b) {
  const Int remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

/// What stopped an evaluation; the caller adds where it happened.
enum class Fault { none, overflow, division_by_zero };

template <class Int>
Int negate(Int a, Fault& fault) {
  Int result = 0;
  if (__builtin_sub_overflow(Int{0}, a, &result)) fault = Fault::overflow;
  return result;
}

template <class Int>
Int divide(Op op, Int a, Int b, Fault& fault) {
  if (b == 0) return fault = Fault::division_by_zero, 0;
  if (b == -1) return op == Op::divide ? negate(a, fault) : 0;  // the least number / −1 does not fit
  return op == Op::divide ? floor_divide(a, b) : floor_modulo(a, b);
}

template <class Int>
Int combine(Op op, Int a, Int b, Fault& fault) {
  Int result = 0;
  bool overflow = false;
  switch (op) {
    case Op::add:
      overflow = __builtin_add_overflow(a, b, &result);
      break;
    case Op::subtract:
      overflow = __builtin_sub_overflow(a, b, &result);
      break;
    case Op::multiply:
      overflow = __builtin_mul_overflow(a, b, &result);
      break;
    case Op::divide:
    case Op::modulo:
      return divide(op, a, b, fault);
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
    case Op::constant:
    case Op::x:
    case Op::n:
    case Op::negate:
    case Op::logical_not:
      throw InternalError("not a binary operation");
  }
  if (overflow) fault = Fault::overflow;
  return result;
}

template <class Int>
Int pop(std::vector<Int>& stack) {
  QUENCH_ASSERT(!stack.empty());
  const Int top = stack.back();
  stack.pop_back();
  return top;
}

template <class Int>
void step(const IntInstruction& instruction, std::int64_t x, std::int64_t n, std::vector<Int>& stack, Fault& fault) {
  switch (instruction.op) {
    case Op::constant:
      return stack.push_back(instruction.value);
    case Op::x:
      return stack.push_back(x);
    case Op::n:
      return stack.push_back(n);
    case Op::negate:
      return stack.push_back(negate(pop(stack), fault));
    case Op::logical_not:
      return stack.push_back(pop(stack) == 0);
    default:
      break;
  }
  const Int right = pop(stack), left = pop(stack);
  stack.push_back(combine(instruction.op, left, right, fault));
}

/// Whether the expression is not 0; `fault` says why that cannot be told in numbers of this size.
template <class Int>
bool evaluate(const Predicate& predicate, std::int64_t x, std::int64_t n, Fault& fault) {
  thread_local std::vector<Int> stack;  // kept: expressions are evaluated at every position
  stack.clear();
  for (const IntInstruction& instruction : predicate.code) {
    step(instruction, x, n, stack, fault);
    if (fault != Fault::none) return false;
  }
  return pop(stack) != 0;
}

/// In 64 bits, which is several times faster, and in 128 where these do not suffice.
bool expression_holds(const Predicate& predicate, std::int64_t x, std::int64_t n) {
  Fault fault = Fault::none;
  const bool holds = evaluate<std::int64_t>(predicate, x, n, fault);
  if (fault == Fault::none) return holds;
  fault = Fault::none;
  const bool holds_in_128 = evaluate<Int128>(predicate, x, n, fault);
  if (fault != Fault::none)
    throw UserError(fmt::format("predicate {}: {} at i = {}, n = {}", printable(predicate.name),
                                fault == Fault::overflow ? "128-bit overflow" : "division by zero", x, n));
  return holds_in_128;
}

}  // namespace

bool predicate_holds(const Predicate& predicate, std::int64_t x, std::int64_t n) {
  const auto natural = static_cast<std::uint64_t>(x);
  switch (predicate.kind) {
    case Kind::odd:
      return x % 2 != 0;
    case Kind::even:
      return x % 2 == 0;
    case Kind::mod:
      return floor_modulo<std::int64_t>(x, predicate.modulus) ==
             floor_modulo<std::int64_t>(predicate.residue, predicate.modulus);
    case Kind::prime:
      return x >= 2 && is_prime(natural);
    case Kind::square:
      return x >= 0 && is_square(natural);
    case Kind::cube:
      return x >= 0 && is_cube(natural);
    case Kind::pow2:
      return x >= 1 && (natural & (natural - 1)) == 0;
    case Kind::triangular:
      return x >= 0 && is_square(static_cast<UInt128>(natural) * 8 + 1);
    case Kind::fibonacci:
      return x >= 0 && is_fibonacci(natural);
    case Kind::first:
      return x == 1;
    case Kind::last:
      return x == n;
    case Kind::set:
      return std::binary_search(predicate.members.begin(), predicate.members.end(), x);
    case Kind::expression:
      return expression_holds(predicate, x, n);
  }
  throw InternalError("predicate of unknown kind");
}

}  // namespace quench::model
