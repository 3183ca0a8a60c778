// Uniform heads: all scores are 0, all weights exp(0) = 1, so the result is Σv / m over the m visible positions, of
// exact whole values v.
//
// Sums. Whole numbers add without rounding while they stay below 2^p. Beyond, or where weights are normalised before
// they are summed (`any`), each result is off by at most the factor (1+u)^{N+2}, relative to Σ|v|/m.
//
// Which means the recipes use (i the position, m the visible count):
//   v = σ(−1)^j, j ≤ i:  −σ at i = 1; 0 at even i; −σ/i at odd i > 1             [P-11a]
//   v = σ(−1)^j, j ≥ i:  σ(−1)^i at i = n; else 0 or σ(−1)^i/m with m ≥ 3          [P-11b]
//   v = [j = 1]: 1/i (future mask), 1/n (no mask);   v = [j = n]: 1/(n−i+1) (past mask)
#include <cmath>

#include "certify/heads/linear_score.h"

namespace quench::certify {
namespace {

template <class Member>
bool marks(const Setting& setting, const Value& v, Member member) {
  for (std::size_t c = 0; c < kClasses; ++c)
    if (setting.has_class(static_cast<int>(c)) && !v.ideal[c].is_point(kPositionClasses[c].*member ? 1 : 0))
      return false;
  return true;
}

Set alternating_mean(double sigma, Mask mask, const PositionClass& c) {
  constexpr double kThird = 0.375;  // an upper bound of 1/3
  const auto up_to_third = [](double sign) { return sign > 0 ? Set::range(0, kThird) : Set::range(-kThird, 0); };
  switch (mask) {
    case Mask::future:
      if (c.first) return Set::point(-sigma);
      return c.even ? Set::point(0) : up_to_third(-sigma);
    case Mask::past:
      if (c.last) return Set::point(c.even ? sigma : -sigma);
      return up_to_third(c.even ? sigma : -sigma);
    case Mask::none:
    case Mask::strict_future:  // does not get here
    case Mask::strict_past:
      break;
  }
  return c.first && c.last ? Set::point(-sigma) : up_to_third(-sigma);
}

Set reciprocal(bool alone) { return alone ? Set::point(1) : Set::range(0, 0.5); }

/// |S| ≤ slope·m, and where only the first and the last position can have a value, no more than those two.
Fraction fraction_of(const Setting& setting, const Value& v, Mask mask) {
  Fraction fraction;
  fraction.over = mask == Mask::future ? Fraction::Over::index
                  : mask == Mask::past ? Fraction::Over::remaining
                                       : Fraction::Over::length;
  double inner = 0, first = 0, last = 0;
  for (std::size_t c = 0; c < kClasses; ++c) {
    if (!setting.has_class(static_cast<int>(c))) continue;
    const double most = v.ideal[c].all().magnitude();
    const PositionClass& position = kPositionClasses[c];
    if (!position.first && !position.last) inner = std::fmax(inner, most);
    if (position.first) first = std::fmax(first, most);
    if (position.last) last = std::fmax(last, most);
  }
  if (inner == 0)
    fraction.edge = first + last;
  else
    fraction.slope = std::fmax(inner, std::fmax(first, last));
  return fraction;
}

void set_ideal(const Setting& setting, Value& result, const Value& v, Mask mask) {
  const Interval all = v.all();
  // At n = 1 a mark also looks like σ(−1)^j: marks come first.
  const bool first = marks(setting, v, &PositionClass::first), last = marks(setting, v, &PositionClass::last);
  const double sigma = first || last ? 0 : alternation(setting, v);  // as is_alternating
  for (std::size_t c = 0; c < kClasses; ++c) {
    const PositionClass& position = kPositionClasses[c];
    if (sigma != 0)
      result.ideal[c] = alternating_mean(sigma, mask, position);
    else if (first && mask == Mask::future)
      result.ideal[c] = reciprocal(position.first);
    else if (last && mask == Mask::past)
      result.ideal[c] = reciprocal(position.last);
    else if (all.is_point())
      result.ideal[c] = Set::point(all.low);
    else if ((alone_classes(mask) >> c & 1U) != 0)
      result.ideal[c] = v.ideal[c];
    else
      result.ideal[c] = Set::range(all.low, all.high);
  }
  if (sigma == 0) result.fraction = fraction_of(setting, v, mask);
  if (sigma != 0 || all.low < 0 || all.high > 1) return;
  if (first && mask != Mask::past)
    result.meaning = mask == Mask::future ? Meaning::inverse_index : Meaning::inverse_length;
  else if (last && mask == Mask::past)
    result.meaning = Meaning::inverse_remaining;
  else
    result.meaning = mask == Mask::future ? Meaning::mean_left
                     : mask == Mask::past ? Meaning::mean_right
                                          : Meaning::mean_all;
}

bool is_reciprocal(Meaning meaning) {
  return meaning == Meaning::inverse_index || meaning == Meaning::inverse_remaining ||
         meaning == Meaning::inverse_length;
}

bool is_alternating(const Setting& setting, const Value& v) {
  return !marks(setting, v, &PositionClass::first) && !marks(setting, v, &PositionClass::last) &&
         alternation(setting, v) != 0;
}

/// The relative error of Σv/m before it is rounded to the result's format.
Upper relative_sum_error(const Setting& setting, double greatest, bool mark, bool exact) {
  const FloatFormat& compute = setting.arithmetic.compute;
  const Upper u = bounds::unit_roundoff(compute);
  const bool whole_sums_exact =
      exact && Upper(setting.length) * Upper(std::fmax(1, greatest)) <= bounds::power_of_two(compute.precision);
  switch (setting.summation) {
    case Summation::any:
      // One term is 1/m, the others are 0; m is a sum of ones.
      if (mark && whole_sums_exact) return bounds::unit_roundoff(compute);
      return bounds::accumulated(u, setting.length + 2);
    case Summation::normalise_last:
      return whole_sums_exact ? Upper() : bounds::accumulated(u, 3 * setting.length);
    case Summation::exact_count:
      return whole_sums_exact ? Upper() : bounds::accumulated(u, 4);
  }
  return {};
}

}  // namespace

Upper wide_sum_error(const Setting& setting) {
  const Upper u = bounds::unit_roundoff(setting.arithmetic.compute);
  return Upper(4) * Upper(setting.length) * u * u;
}

Fraction reciprocal_fraction(Meaning meaning) {
  Fraction fraction;
  fraction.reciprocal = true;
  fraction.edge = 1;
  switch (meaning) {
    case Meaning::inverse_index:
      fraction.over = Fraction::Over::index;
      return fraction;
    case Meaning::inverse_remaining:
      fraction.over = Fraction::Over::remaining;
      return fraction;
    case Meaning::inverse_length:
      fraction.over = Fraction::Over::length;
      return fraction;
    default:
      return {};
  }
}

HeadProof prove_uniform(const Setting& setting, const State& state, const StoredHead& head) {
  if (!head.components.empty()) throw NotProved("claims to be uniform, but its scores vary", head.number);
  if (head.head.mask != Mask::none && head.head.mask != Mask::future && head.head.mask != Mask::past)
    throw NotProved("a strict mask", head.number);
  HeadProof proof;
  const FloatFormat &storage = setting.arithmetic.storage, &compute = setting.arithmetic.compute;
  for (std::size_t l = 0; l < head.head.v.rows.size(); ++l) {
    const Value v = whole_value(setting, state, head, l);
    for (const Set& set : v.ideal)
      if (!set.integral) throw NotProved("a mean of values that are not whole", head.number);
    Value result;
    set_ideal(setting, result, v, head.head.mask);
    const double greatest = v.all().magnitude();
    const Upper sums = relative_sum_error(setting, greatest, is_reciprocal(result.meaning), v.exact());
    // Values that are off by ε move the mean by as much, times what the sums are off by. Sums are off relative to Σ|v|,
    // which is the mean itself only if no value is negative, or if they are formed exactly and rounded once.
    result.additive = v.error * (Upper(1) + sums) * (Upper(1) + sums);
    const bool one_sign = v.all().low >= 0;
    const Upper u = bounds::unit_roundoff(compute), u_storage = bounds::unit_roundoff(storage);
    if (setting.summation != Summation::exact_count && !one_sign) result.additive += sums * Upper(greatest);
    // 1/i and 1/(n−i+1) are exact where they are 1, and at most ½ elsewhere.
    const bool half = v.exact() && is_reciprocal(result.meaning) && result.meaning != Meaning::inverse_length;
    const double size = half ? 0.5 : greatest;
    result.error = stored_error(setting, sums * Upper(size) + result.additive, size);
    const bool relative_sums = one_sign || setting.summation == Summation::exact_count;
    result.relative = (relative_sums ? Upper(1) + sums : Upper(1)) * (Upper(1) + u);
    if (setting.stores_narrower()) result.relative *= Upper(1) + u_storage;
    arf_sub_ui(result.relative.get(), result.relative.get(), 1, 64, ARF_RND_UP);
    // The smallest mean that is not 0 is 1/N; below the normal range the error is absolute.
    if (bounds::power_of_two(-storage.min_exponent) < Upper(setting.length))
      result.relative += bounds::power_of_two(storage.min_exponent - storage.precision) * Upper(2 * setting.length);
    result.not_negative = v.not_negative;
    result.origin = head.number;
    if (!result.error.is_finite()) throw NotProved("a mean overflows", head.number);
    if (is_reciprocal(result.meaning) && result.meaning != Meaning::inverse_length && v.exact()) result.cap = 0.5;
    if (v.exact()) result.exact_classes = alone_classes(head.head.mask);  // its own value, divided by 1
    // As many ones as minus ones.
    if (v.exact() && sums.is_zero() && head.head.mask == Mask::future && is_alternating(setting, v))
      for (std::size_t c = 0; c < kClasses; ++c)
        if (kPositionClasses[c].even) result.exact_classes |= 1U << c;
    // Exact where every visible value is the same exact number and sums are exact.
    if (v.exact() && v.all().is_point() && sums.is_zero()) result.error = {}, result.grid = v.grid;
    proof.line.bound = std::fmax(proof.line.bound, result.error.to_double());
    proof.results.push_back(std::move(result));
  }
  return proof;
}

}  // namespace quench::certify
