// A position encoding at all positions of a word. Bits of positions, which exact recipes have twenty of, are
// expressions such as i / 2^k % 2: evaluated a block of positions at a time, one instruction after the other, with
// shifts in place of divisions by powers of two.
#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "base/error.h"
#include "model/position.h"

namespace quench::model {

namespace {

using Op = IntInstruction::Op;
constexpr std::size_t kBlock = 256;
constexpr std::size_t kDeepest = 64;  // blocks: what needs more is evaluated position by position
using Block = std::array<std::int64_t, kBlock>;

/// An expression at the positions first, first + 1, …, a block of them.
class BlockEvaluation {
 public:
  BlockEvaluation(const Predicate& predicate, std::size_t n)
      : code_(predicate.code), n_(static_cast<std::int64_t>(n)) {}

  /// Null: not to be had in 64 bits, without dividing by what is 0 or negative, or with so few blocks.
  const Block* run(std::size_t first) {
    depth_ = 0;
    fault_ = false;
    for (std::size_t at = 0; at < code_.size(); ++at) {
      if (depth_ == kDeepest) return nullptr;
      step(at, static_cast<std::int64_t>(first));
      if (fault_) return nullptr;
    }
    return &stack_[0];
  }

 private:
  void step(std::size_t at, std::int64_t first) {
    switch (code_[at].op) {
      case Op::constant:
        return push().fill(code_[at].value);
      case Op::x:
        for (Block& block = push(); std::int64_t & x : block) x = first++;
        return;
      case Op::n:
        return push().fill(n_);
      case Op::negate:
        return unary([&](std::int64_t a) { return fault_ |= a == INT64_MIN, a == INT64_MIN ? 0 : -a; });
      case Op::logical_not:
        return unary([](std::int64_t a) { return std::int64_t{a == 0}; });
      case Op::add:
        return binary([&](std::int64_t a, std::int64_t b) { return fault_ |= __builtin_add_overflow(a, b, &a), a; });
      case Op::subtract:
        return binary([&](std::int64_t a, std::int64_t b) { return fault_ |= __builtin_sub_overflow(a, b, &a), a; });
      case Op::multiply:
        return binary([&](std::int64_t a, std::int64_t b) { return fault_ |= __builtin_mul_overflow(a, b, &a), a; });
      case Op::divide:
      case Op::modulo:
        return divide(code_[at].op == Op::divide, code_[at - 1]);
      case Op::equal:
        return binary(std::equal_to<>());
      case Op::not_equal:
        return binary(std::not_equal_to<>());
      case Op::less:
        return binary(std::less<>());
      case Op::less_equal:
        return binary(std::less_equal<>());
      case Op::greater:
        return binary(std::greater<>());
      case Op::greater_equal:
        return binary(std::greater_equal<>());
      case Op::logical_and:
        return binary([](std::int64_t a, std::int64_t b) { return (a != 0) & (b != 0); });
      case Op::logical_or:
        return binary([](std::int64_t a, std::int64_t b) { return (a != 0) | (b != 0); });
    }
  }

  /// Rounded down, by what is positive; `before` made the divisor.
  void divide(bool quotient, const IntInstruction& before) {
    const auto constant = static_cast<std::uint64_t>(before.value);
    if (before.op == Op::constant && before.value > 0 && std::has_single_bit(constant)) {
      const int shift = std::countr_zero(constant);
      const std::int64_t low = before.value - 1;
      if (quotient) return binary([&](std::int64_t a, std::int64_t) { return a >> shift; });
      return binary([&](std::int64_t a, std::int64_t) { return a & low; });
    }
    binary([&](std::int64_t a, std::int64_t b) {
      fault_ |= b <= 0;
      const std::int64_t by = b <= 0 ? 1 : b, rest = a % by, down = rest < 0 ? 1 : 0;
      return quotient ? a / by - down : rest + down * by;
    });
  }

  Block& push() {
    if (depth_ == stack_.size()) stack_.emplace_back();
    return stack_[depth_++];
  }
  template <class Work>
  void unary(const Work& work) {
    QUENCH_ASSERT(depth_ >= 1);
    for (std::int64_t& a : stack_[depth_ - 1]) a = work(a);
  }
  template <class Work>
  void binary(const Work& work) {
    QUENCH_ASSERT(depth_ >= 2);
    --depth_;
    Block& left = stack_[depth_ - 1];
    const Block& right = stack_[depth_];
    for (std::size_t p = 0; p < kBlock; ++p) left[p] = static_cast<std::int64_t>(work(left[p], right[p]));
  }

  const std::vector<IntInstruction>& code_;
  std::int64_t n_;
  std::vector<Block> stack_;
  std::size_t depth_ = 0;
  bool fault_ = false;
};

}  // namespace

std::vector<double> position_values(const PositionFormula& formula, std::size_t n) {
  std::vector<double> values(n);
  const bool by_blocks =
      formula.kind == PositionFormula::Kind::predicate && formula.predicate->kind == Predicate::Kind::expression;
  std::optional<BlockEvaluation> blocks;
  if (by_blocks) blocks.emplace(*formula.predicate, n);
  for (std::size_t first = 0; first < n; first += kBlock) {
    const std::size_t end = std::min(first + kBlock, n);
    if (const Block* holds = blocks ? blocks->run(first + 1) : nullptr)
      for (std::size_t p = first; p < end; ++p) values[p] = (*holds)[p - first] != 0 ? 1 : 0;
    else
      for (std::size_t p = first; p < end; ++p) values[p] = position_value(formula, p + 1, n);
  }
  return values;
}

}  // namespace quench::model
