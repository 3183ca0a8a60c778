// Uniform heads: means of whole numbers. Which means the recipes use is derived in docs/certificates.md.
#include <cmath>

#include "check/head.h"

namespace quench::check {

Line HeadCheck::uniform(Results& results) {
  if (!products_.empty()) throw Rejected("a uniform head with scores");
  Line line;
  for (std::size_t l = 0; l < results.size(); ++l) {
    const auto v = values(l);
    Number low = v[0].low(), high = v[0].high(), off;
    bool positive = true;
    bool first = true, last = true, plus = true, minus = true;
    for_kinds([&](int kind, const std::vector<Fact>&) {
      const Fact& x = v[static_cast<std::size_t>(kind)];
      low = min(low, x.low()), high = max(high, x.high());
      off = max(off, x.error), positive = positive && x.positive;
      first = first && x.is(is_first(kind) ? 1 : 0);
      last = last && x.is(is_last(kind) ? 1 : 0);
      plus = plus && x.is(is_even(kind) ? 1 : -1);
      minus = minus && x.is(is_even(kind) ? -1 : 1);
    });
    const double sign = first || last ? 0 : plus ? 1 : minus ? -1 : 0;
    for_kinds([&](int kind, const std::vector<Fact>&) {
      Fact& mean = results[l][static_cast<std::size_t>(kind)];
      mean = mean_of(kind, v, low, high, off, first, last, sign);
      mean.positive = positive;
      line.bound = std::fmax(line.bound, mean.error.top().to_double());
    });
  }
  return line;
}

Fact HeadCheck::mean_of(int kind, const std::array<Fact, kKinds>& v, const Number& low, const Number& high,
                        const Number& off, bool first, bool last, double sign) const {
  const bool single = alone(kind);
  const bool mark = (first && head_.mask == Mask::future) || (last && head_.mask == Mask::past);
  Fact mean;
  mean.whole = false;
  if (sign != 0) {
    const double here = is_even(kind) ? sign : -sign;
    const double end = head_.mask == Mask::past ? here : -sign;  // the sign of what is left over
    if (single)
      mean.spans = {{here, here}}, mean.whole = true;
    else if (head_.mask == Mask::future && is_even(kind))
      mean.whole = true;
    else
      mean.spans = {{end > 0 ? 0 : -0.375, end > 0 ? 0.375 : 0}};
  } else if (mark) {
    if (single)
      mean.spans = {{1, 1}}, mean.whole = true;
    else
      mean.spans = {{0, 0.5}}, mean.cap = 0.5;
  } else if (single && !(low == high)) {
    mean.spans = v[static_cast<std::size_t>(kind)].spans, mean.whole = true;
  } else {
    mean.spans = {{low, high}};
    mean.whole = low == high;
  }
  if (sign == 0) mean.share = share_of(v);
  if (sign == 0 && Number(0) <= low && high <= Number(1)) {
    if (first && head_.mask != Mask::past)
      mean.role = head_.mask == Mask::future ? Role::one_over_i : Role::one_over_n;
    else if (mark)
      mean.role = Role::one_over_rest;
    else
      mean.role = head_.mask == Mask::future ? Role::left : head_.mask == Mask::past ? Role::right : Role::all;
  }
  const bool reciprocal =
      mean.role == Role::one_over_i || mean.role == Role::one_over_rest || mean.role == Role::one_over_n;
  const Number size = max(low.absolute(), high.absolute());
  const Number sums = sum_error(size, reciprocal, off.zero());
  mean.additive = off * (Number(1) + sums) * (Number(1) + sums);
  // Sums are off relative to Σ|v|; that is the mean itself if no value is negative, or if they are rounded once.
  const bool relative_sums = Number(0) <= low || claim_.sums == Sums::exact_count;
  if (!relative_sums) mean.additive += sums * size;
  if (!off.zero()) mean.cap.reset();
  mean.relative = (relative_sums ? Number(1) + sums : Number(1)) * (Number(1) + u_);
  if (claim_.narrow()) mean.relative = mean.relative * (Number(1) + relative_step(claim_.store));
  mean.relative = mean.relative - Number(1);
  if (Number::two_to(-claim_.store.min_exponent) < n_)
    mean.relative += Number::two_to(claim_.store.min_exponent - claim_.store.precision) * Number(2) * n_;
  const bool balanced = sign != 0 && head_.mask == Mask::future && is_even(kind);  // as many 1 as −1
  const bool exact = off.zero() && (single || ((low == high || balanced) && sums.zero()));
  const Number here = mark && off.zero() ? Number(0.5) : size;  // 1/m where it is not 1
  mean.error = exact ? Number(0) : after_division(sums * here + mean.additive, here);
  return mean;
}

Number HeadCheck::sum_error(const Number& size, bool reciprocal, bool whole) const {
  const bool exact = whole && n_ * max(size, Number(1)) <= Number::two_to(claim_.work.precision);
  if (claim_.sums == Sums::any) return reciprocal && exact ? u_ : compounded(n_ + Number(2));
  if (exact) return 0;
  return compounded(claim_.sums == Sums::normalise_last ? Number(3) * n_ : Number(4));
}

/// |S| ≤ slope·m; if only the two ends can have a value, no more than those.
Share HeadCheck::share_of(const std::array<Fact, kKinds>& v) const {
  Share share;
  share.of = head_.mask == Mask::future ? Share::Of::i : head_.mask == Mask::past ? Share::Of::rest : Share::Of::n;
  Number inner, first, last;
  for_kinds([&](int kind, const std::vector<Fact>&) {
    const Number size = v[static_cast<std::size_t>(kind)].size();
    if (is_first(kind)) first = max(first, size);
    if (is_last(kind)) last = max(last, size);
    if (!is_first(kind) && !is_last(kind)) inner = max(inner, size);
  });
  if (inner.zero())
    share.edge = first + last;
  else
    share.slope = max(inner, max(first, last));
  return share;
}

}  // namespace quench::check
