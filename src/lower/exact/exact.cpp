// What the exact constructions share: Boolean position encodings, and Booleans that need no rounding.
#include "lower/exact/exact.h"

#include <fmt/format.h>

#include <cmath>

#include "base/error.h"

namespace quench::lower {
namespace {

using Op = IntInstruction::Op;

constexpr IntInstruction constant(std::int64_t value) { return {Op::constant, value}; }

Predicate end(Predicate::Kind kind, const char* name) {
  Predicate predicate;
  predicate.kind = kind;
  predicate.name = name;
  return predicate;
}

}  // namespace

ExactConstructions::ExactConstructions(ir::Graph& graph, const Recipe& recipe, const Tuning& tuning)
    : Constructions(graph, recipe),
      bits_(tuning.length_bits),
      length_(std::exp2(tuning.length_bits)),
      digits_(tuning.digits) {
  QUENCH_ASSERT(bits_ >= kFewestExactBits && length_ <= static_cast<double>(kLongestExact));
  graph_.shares_units = true;
}

ir::Literal ExactConstructions::encoding(const Predicate& predicate) {
  const PositionFormula formula{PositionFormula::Kind::predicate, predicate};
  return {graph_.add(ir::Position{formula}, to_string(formula)), false};
}

/// ⌊number/2^b⌋ is odd.
ir::Literal ExactConstructions::bit(Number of, int b) {
  static constexpr const char* names[] = {"bit", "rbit", "nbit"};
  Predicate predicate = end(Predicate::Kind::expression, "");
  predicate.name = fmt::format("{}{}", names[static_cast<int>(of)], b);
  switch (of) {
    case Number::before:
      predicate.code = {{Op::x}, constant(1), {Op::subtract}};
      break;
    case Number::after:
      predicate.code = {{Op::n}, {Op::x}, {Op::subtract}};
      break;
    case Number::others:
      predicate.code = {{Op::n}, constant(1), {Op::subtract}};
      break;
  }
  QUENCH_ASSERT(!recipe_.decoder || of == Number::before);
  for (const IntInstruction& step :
       {constant(std::int64_t{1} << b), IntInstruction{Op::divide}, constant(2), IntInstruction{Op::modulo}})
    predicate.code.push_back(step);
  return encoding(predicate);
}

ir::Literal ExactConstructions::first() { return encoding(end(Predicate::Kind::first, "first")); }
ir::Literal ExactConstructions::last() { return encoding(end(Predicate::Kind::last, "last")); }

ir::Literal ExactConstructions::exactly(const ir::Affine& x, const std::string& label) {
  return {graph_.add(ir::Threshold{x, 0, 1, 0, 1}, label), false};
}

}  // namespace quench::lower
