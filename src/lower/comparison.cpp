// 1. t1 R t2 is D = t1 − t2 (or t2 − t1) against 0; D > 0 is D − 1 ≥ 0, since D is an integer.
// 2. With g the greatest common divisor of the coefficients, Σ c_k κ_k ≥ −c iff Σ (c_k/g) κ_k ≥ ⌈−c/g⌉; and an equality
//    whose constant g does not divide never holds.
// 3. Counts are at least 0 and at most n, so −P⁻n + c ≤ D ≤ P⁺n + c, where P⁺ is the sum of the positive coefficients and
//    P⁻ that of the negative ones, without their sign. For all n ≤ 2^53 therefore
//        c ≥ 2^53·P⁻  makes D ≥ 0,     c < −2^53·P⁺  makes D < 0.
//    2^53 is also where certificates end (certify::kLongest), so none of them says more than this.
//
// Terms have 64 bits, so c and every c_k are below 2^65 in size, and sums of fewer than 2^32 of them below 2^97: nothing
// here overflows.
#include "lower/comparison.h"

#include <algorithm>
#include <utility>

namespace quench::lower {
namespace {

constexpr Int128 kLongest = Int128(1) << 53;

Int128 greatest_common_divisor(Int128 a, Int128 b) {
  while (b != 0) a = std::exchange(b, a % b);
  return a;
}

Int128 floor_divide(Int128 a, Int128 b) { return a / b - (a % b < 0); }  // b > 0

void merge_equal(std::vector<LinearComparison::Part>& parts) {
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < parts.size();) {
    LinearComparison::Part sum = parts[k];
    for (++k; k < parts.size() && parts[k].count == sum.count; ++k) sum.coefficient += parts[k].coefficient;
    if (sum.coefficient != 0) parts[kept++] = sum;
  }
  parts.resize(kept);
}

/// An equality that never holds has no counts left, and a constant that is not 0.
void reduce(LinearComparison& comparison) {
  Int128 g = 0;
  for (const auto& part : comparison.parts)
    g = greatest_common_divisor(g, part.coefficient < 0 ? -part.coefficient : part.coefficient);
  if (g <= 1) return;
  if (comparison.equality && comparison.constant % g != 0) return comparison.parts.clear();
  for (auto& part : comparison.parts) part.coefficient /= g;
  comparison.constant = floor_divide(comparison.constant, g);
}

}  // namespace

LinearComparison normal_form(const lang::Formula& formula, const lang::Comparison& comparison) {
  using enum lang::Relation;
  const lang::Relation relation = comparison.relation;
  LinearComparison result;
  result.equality = relation == equal || relation == not_equal;
  result.opposite = relation == not_equal;
  const auto collect = [&](lang::TermId id, int factor) {
    const lang::Term& term = formula[id];
    for (const lang::Term::Part& part : term.parts)
      result.parts.push_back({part.count, factor * Int128(part.coefficient)});
    result.constant += factor * Int128(term.constant);
  };
  const bool flipped = relation == less || relation == less_equal;
  collect(comparison.left, flipped ? -1 : 1);
  collect(comparison.right, flipped ? 1 : -1);
  if (relation == less || relation == greater) result.constant -= 1;
  merge_equal(result.parts);
  reduce(result);
  return result;
}

std::optional<bool> decided(const LinearComparison& comparison) {
  Int128 positive = 0, negative = 0;  // P⁺, P⁻
  for (const auto& part : comparison.parts)
    (part.coefficient > 0 ? positive : negative) += part.coefficient > 0 ? part.coefficient : -part.coefficient;
  // P⁺ and P⁻ are integers, so c/2^53 may be rounded down.
  const auto never_below_zero = [&](Int128 c) { return floor_divide(c, kLongest) >= negative; };
  const auto always_below_zero = [&](Int128 c) { return floor_divide(c, kLongest) < -positive; };
  const Int128 c = comparison.constant;
  if (!comparison.equality && never_below_zero(c)) return true;
  if (!comparison.equality && always_below_zero(c)) return false;
  if (comparison.equality && (never_below_zero(c - 1) || always_below_zero(c))) return comparison.opposite;
  if (comparison.equality && comparison.parts.empty()) return !comparison.opposite;
  return std::nullopt;
}

}  // namespace quench::lower
