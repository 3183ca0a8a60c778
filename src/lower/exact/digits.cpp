// [Q-carry]: θ(κ) in numbers that every format holds.
//
// N − κ is counted in digits of base 16 that may exceed 15, by levels as in [Q-blocks]. Before a level with `low` bits
// below it, Σ_j 16^j D_j(x) is how many of x's aligned block of 2^low, up to x, are counted; the level's heads add up the
// digits of the sub-blocks before x's own, at most 2^r·(the greatest D_j), which must be at most 256, and a feed-forward
// carries: D_j ← (S_j mod 16) + ⌊S_{j−1}/16⌋, from 0 to 30. What is counted is ¬φ, and at the last level the digits of N −
// i are added, which are those of i − 1 with all bits turned: i − κ + N − i = N − κ.
//
// Three feed-forwards make bits of it: with g_j = [D_j ≥ 16] and p_j = [D_j = 15], which exclude each other, the carry
// into digit j is ∨_{a<j} g_a ∧ p_{a+1} ∧ … ∧ p_{j−1}, and bit b of digit j is that of D_j + carry, from 0 to 31. The bits
// of N − κ, turned, are those of κ − 1, κ ≥ 1.
//
// The head asks for them by U Σ_b 2^b·(2β_b − 1)·y_b: greatest where all agree, and no two keys tie, whatever is asked,
// since bit b changes a score by an odd multiple of 2^b·U ([Q-match]). For #[φ] the Boolean of #←[φ] is read at the last
// position.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bounds/exact.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using ir::Affine;
using ir::Literal;
using lang::Scope;

namespace {

constexpr int kDigitBits = 4;
constexpr int kBase = bounds::kCarryBase;
static_assert(kBase == 1 << kDigitBits);

template <class F>
std::vector<double> values_to(double greatest, F f) {
  std::vector<double> values;
  for (int z = 0; z <= static_cast<int>(greatest); ++z) values.push_back(f(z));
  return values;
}

}  // namespace

/// How many bits the next level has, of those that are left.
int ExactConstructions::digit_level(const std::vector<Digit>& digits, int left) {
  double most = 0;
  for (const Digit& digit : digits) most = std::max(most, digit.most);
  return bounds::carry_level(most, left);
}

/// S_j mod 16 + ⌊S_{j−1}/16⌋
std::vector<ExactConstructions::Digit> ExactConstructions::carried(const std::vector<Digit>& sums,
                                                                   const std::string& label) {
  std::vector<Digit> result;
  for (std::size_t j = 0; j <= sums.size(); ++j) {
    ir::Piecewise digit{{}, 0, 0, 0};
    if (j < sums.size()) {
      append(digit, sums[j].value, values_to(sums[j].most, [](int z) { return z % kBase; }));
      digit.high += std::min<double>(kBase - 1, sums[j].most);
    }
    if (j > 0 && sums[j - 1].most >= kBase) {
      append(digit, sums[j - 1].value, values_to(sums[j - 1].most, [](int z) { return z / kBase; }));
      digit.high += std::floor(sums[j - 1].most / kBase);
    }
    if (digit.high == 0) break;
    result.push_back({graph_.add(digit, fmt::format("digit {} in {}", j, label)), digit.high});
  }
  return result;
}

/// Digits of N − κ, for #← and #→.
std::vector<ExactConstructions::Digit> ExactConstructions::remaining_digits(Scope scope, Literal of,
                                                                            const std::string& label) {
  const Number own = scope == Scope::right ? Number::after : Number::before;
  std::vector<Digit> digits{{elsewhere(scope, !of), 1}};
  for (int low = 0; low < bits_;) {
    const int r = digit_level(digits, bits_ - low);
    const bool final = low + r == bits_;
    std::vector<Digit> sums;
    for (std::size_t j = 0; j < digits.size() || (final && static_cast<int>(j) * kDigitBits < bits_); ++j) {
      Affine sum;
      double most = 0;
      std::vector<ir::Attend::Part> parts;
      if (j < digits.size()) {
        for (int t = low; t < low + r; ++t)
          parts.push_back({block(scope, t, low), digits[j].value, std::exp2(t - low)});
        sum = digits[j].value;
        most = digits[j].most * std::exp2(r);
      }
      if (final && j == 0) {
        parts.push_back({at_end(scope), !of, 1});
        most += 1;
      }
      if (final)
        for (int b = 0; b < kDigitBits && static_cast<int>(j) * kDigitBits + b < bits_; ++b) {
          sum += std::exp2(b) * Affine(!bit(own, static_cast<int>(j) * kDigitBits + b));
          most += std::exp2(b);
        }
      if (!parts.empty()) sum += graph_.add(ir::Attend(std::move(parts)), fmt::format("sum {} in {}", j, label));
      sums.push_back({sum, most});
    }
    digits = carried(sums, label);
    low += r;
  }
  return digits;
}

/// The L lowest bits of Σ 16^j D_j.
std::vector<Literal> ExactConstructions::bits_of(const std::vector<Digit>& digits, const std::string& label) {
  std::vector<Literal> bits, generates, propagates;
  for (std::size_t j = 0; static_cast<int>(bits.size()) < bits_; ++j) {
    const Digit digit = j < digits.size() ? digits[j] : Digit{0, 0};
    std::vector<Literal> carries;
    for (std::size_t a = 0; a < j; ++a) {
      std::vector<Literal> all{generates[a]};
      all.insert(all.end(), propagates.begin() + static_cast<std::ptrdiff_t>(a) + 1, propagates.end());
      carries.push_back(graph_.conjunction(all));
    }
    const Literal carry = graph_.disjunction(carries, fmt::format("carry into digit {} in {}", j, label));
    for (int b = 0; b < kDigitBits && static_cast<int>(bits.size()) < bits_; ++b)
      bits.push_back(
          {function_of(digit.value + Affine(carry), values_to(2 * kBase - 1, [&](int z) { return z >> b & 1; }), true,
                       fmt::format("bit {} in {}", bits.size(), label)),
           false});
    generates.push_back(not_negative(digit.value - kBase, fmt::format("digit {} beyond in {}", j, label)));
    propagates.push_back(zero(digit.value - (kBase - 1), {}, fmt::format("digit {} full in {}", j, label)));
  }
  return bits;
}

Literal ExactConstructions::predicate_by_digits(const Predicate& theta, Scope scope, Literal of,
                                                const std::string& label) {
  const double unit = match_unit();
  QUENCH_ASSERT(bounds::place_values_are_exact(length_, bounds::kNarrowestSums));
  constexpr int kInTheQuery = 2;  // 2·768·√d_k·2^2 = 49,152 in the query, 2^15 in the key: float16 to L = 18
  if (scope == Scope::all) return at_last(predicate_by_digits(theta, Scope::left, of, label + ", up to here"), label);
  const std::vector<Literal> turned = bits_of(remaining_digits(scope, of, label), label);
  ir::Head head;
  head.mask = scope == Scope::left ? Mask::future : Mask::none;
  head.temperature = recipe_.temperature;
  head.intended = Weighting::rhardmax;
  head.structure = HeadStructure::match;
  head.lemma = Lemma::q_match;
  head.gamma = unit;
  for (int b = 0; b < bits_; ++b) {
    ir::Head::Product product = times_power(unit, bit(Number::before, b), b, kInTheQuery);
    product.query = product.query.constant * (1 - 2 * Affine(turned[static_cast<std::size_t>(b)]));
    head.score.push_back(std::move(product));
  }
  const ir::HeadId lookup = graph_.add(head, "count in " + label);
  const Affine found = graph_.add(ir::Attend{lookup, encoding(theta)}, label + ", attended");
  const Literal positive = any_of({{1, scope, of, label}}, "count > 0 in " + label);
  return graph_.disjunction(
      {graph_.conjunction({positive, exactly(found, {})}), graph_.conjunction({!positive, at_zero(theta)})}, label);
}

}  // namespace quench::lower
