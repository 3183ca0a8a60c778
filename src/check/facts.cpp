#include "check/facts.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/number/rounding.h"

namespace quench::check {

Number half_step(const FloatFormat& format, const Number& size) {
  if (size.zero()) return 0;
  if (!(size <= Number(format.max_finite))) throw Rejected("a value leaves the range of the format");
  const long binade = size.binade() - 1;
  return Number::two_to((binade < format.min_exponent ? format.min_exponent : binade) - format.precision);
}

bool fits(const FloatFormat& format, const Number& size, long grid) {
  return grid > format.min_exponent - format.precision && size <= Number(format.max_finite) &&
         size <= Number::two_to(grid + format.precision);
}

long last_bit(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(std::fabs(x));
  const auto exponent = static_cast<long>(bits >> 52);
  const std::uint64_t mantissa = (bits & ((1ULL << 52) - 1)) | (exponent > 0 ? 1ULL << 52 : 0);
  return (exponent > 0 ? exponent : 1) - 1075 + std::countr_zero(mantissa);
}

Number relative_step(const FloatFormat& format) { return Number::two_to(-format.precision); }

void need_exact(const Claim& claim, double weight) {
  if (round_to(claim.store, weight) != weight) throw Rejected("a weight is not a number of the format");
}

Number Combination::low() const {
  Number least = rest[0].from;
  for (const Span& span : rest) least = min(least, span.from);
  return whole_from + least;
}
Number Combination::high() const {
  Number most = rest[0].to;
  for (const Span& span : rest) most = max(most, span.to);
  return whole_to + most;
}

namespace {

Span stretched(const Number& w, const Span& span) {
  return w < Number(0) ? Span{w * span.to, w * span.from} : Span{w * span.from, w * span.to};
}

Number extent(const Span& span) { return max(span.from.absolute(), span.to.absolute()); }

/// Where the computed value lies.
Span computed_range(const Fact& x) {
  Span span{x.low() - x.error, x.high() + x.error};
  if (x.error.zero()) return span;
  if (x.cap) span.to = min(span.to, Number(*x.cap));
  if (x.positive) span.from = max(span.from, Number(0));
  return span;
}

/// After rounding: a bound that is a number of the format still holds.
Span rounded(const FloatFormat& format, const Span& span) {
  const auto step = [&](const Number& end) {
    const double x = end.to_double();
    return Number(x) == end && round_to(format, x) == x ? Number(0) : half_step(format, end.absolute());
  };
  return {span.from - step(span.from), span.to + step(span.to)};
}

/// Spans that overlap are one.
std::vector<Span> joined(std::vector<Span> spans) {
  std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return before(a.from, b.from); });
  std::vector<Span> result{spans[0]};
  for (const Span& span : spans)
    if (result.back().to < span.from)
      result.push_back(span);
    else
      result.back() = {min(result.back().from, span.from), max(result.back().to, span.to)};
  return result;
}

/// Intended values of one more term.
void extend(Combination& sum, double weight, const Fact& x) {
  const Number w(weight);
  const bool certain = x.error.zero();
  // The computed term lies between these, as far as they are known.
  const auto hold = [&](std::optional<Number> low, std::optional<Number> high) {
    if (weight < 0) std::swap(low, high);
    sum.held_low = sum.held_low && low ? std::optional(*sum.held_low + w * *low) : std::nullopt;
    sum.held_high = sum.held_high && high ? std::optional(*sum.held_high + w * *high) : std::nullopt;
  };
  if (x.silent && !certain && x.whole && x.spans.size() == 1 && x.low().zero() && x.high() <= Number(1)) {
    hold(Number(0), std::nullopt);
    if (x.high().zero()) return;
    // Exactly 0, or within its error of 1: that error is no error of the sum.
    const Span near_one = stretched(w, {Number(1) - x.error.top(), Number(1) + x.error.top()});
    std::vector<Span> sums = sum.rest;
    for (const Span& a : sum.rest) sums.push_back({a.from + near_one.from, a.to + near_one.to});
    sum.rest = joined(std::move(sums));
    return;
  }
  const Span everything{x.low(), x.high()};
  if (x.whole && w.whole()) {
    sum.whole_from += stretched(w, everything).from;
    sum.whole_to += stretched(w, everything).to;
    if (!certain) hold(std::nullopt, std::nullopt);
    return;
  }
  const bool pair = x.whole && x.spans.size() == 1 && x.high() - x.low() == Number(1);
  if (pair && w.whole()) throw Rejected("unreachable");
  if (x.spans.size() > 1 || !x.is(x.low().to_double())) {
    // Two isolated points: one of them plus a whole multiple of their distance.
    const bool isolated =
        pair || (x.spans.size() == 2 && x.spans[0].from == x.spans[0].to && x.spans[1].from == x.spans[1].to);
    if (isolated && (w * (x.high() - x.low())).whole()) {
      const Number step = w * (x.high() - x.low());
      sum.whole_from += min(step, Number(0));
      sum.whole_to += max(step, Number(0));
      for (Span& span : sum.rest) span = {span.from + w * x.low(), span.to + w * x.low()};
      if (certain)
        hold(x.low(), x.low());
      else
        hold(std::nullopt, std::nullopt);
      return;
    }
  }
  std::vector<Span> sums;
  for (const Span& a : sum.rest)
    for (const Span& b : x.spans) sums.push_back({a.from + stretched(w, b).from, a.to + stretched(w, b).to});
  sum.rest = std::move(sums);
  if (sum.rest.size() > 32) {
    const Span hull{sum.low() - sum.whole_from, sum.high() - sum.whole_to};
    sum.rest.assign(1, hull);
  }
  if (certain)
    hold(x.low(), x.high());
  else
    hold(x.positive ? std::optional(Number(0)) : std::nullopt, x.cap ? std::optional(Number(*x.cap)) : std::nullopt);
}

}  // namespace

bool power_of_two(double w) {
  return std::has_single_bit(std::bit_cast<std::uint64_t>(std::fabs(w)) << 12 | 0x1ULL << 11);
}

long log_of_power(const Claim& claim) { return Number(claim.longest).binade(); }

long unused_id(const Facts& facts) {
  long id = 0;
  for (const std::vector<Fact>& kind : facts)
    for (const Fact& fact : kind) id = std::max(id, fact.id + 1);
  return id;
}

Combination combine(const Claim& claim, const std::vector<Fact>& facts, const SparseMatrix::Row& row, double bias) {
  Combination sum;
  sum.rest = {{bias, bias}};
  sum.held_low = sum.held_high = Number(bias);
  bool first = true;
  Number from, to;  // of the partial sums
  Span reach;       // of the computed ones
  const auto step = [&](const Span& term, const Span& computed, const Number& error, long grid, bool gridded,
                        bool exact) {
    from = first ? term.from : from + term.from;
    to = first ? term.to : to + term.to;
    reach = first ? computed : Span{reach.from + computed.from, reach.to + computed.to};
    sum.grid = first ? grid : std::min(sum.grid, grid);
    sum.error += error;
    const Number ideal = max(from.absolute(), to.absolute());
    const Number size = min(ideal + sum.error, extent(reach));
    sum.gridded = sum.gridded && gridded && fits(claim.work, size, sum.grid);
    sum.exact = sum.exact && exact && sum.gridded;
    if (!first && !sum.gridded) sum.error += half_step(claim.work, size);
    reach = rounded(claim.work, reach);
    sum.size = max(sum.size, min(ideal + sum.error, extent(reach)));
    first = false;
  };
  for (const auto& [column, w] : row) {
    const Fact& x = facts[column];
    extend(sum, w, x);
    Span term = stretched(Number(w), {x.low(), x.high()});
    const Number own = Number(std::fabs(w)) * x.error;
    const Number size = max(term.from.absolute(), term.to.absolute()) + own;
    const bool gridded = (x.error.zero() || x.gridded) && fits(claim.work, size, x.grid + last_bit(w));
    Number inexact;
    if (!gridded && !power_of_two(w)) inexact += half_step(claim.work, size);
    if (!gridded && std::fabs(w) < 1) inexact += Number::two_to(claim.work.min_exponent - claim.work.precision);
    const bool inside = x.silent && !x.error.zero();  // the error is among the intended values already
    if (inside) term = {term.from - own - inexact, term.to + own + inexact};
    step(term, rounded(claim.work, stretched(Number(w), computed_range(x))), inside ? inexact : own + inexact,
         x.grid + last_bit(w), gridded, x.error.zero());
  }
  if (bias != 0) step({bias, bias}, {bias, bias}, 0, last_bit(bias), true, true);
  const auto usable = [&](const std::optional<Number>& end) {
    return end && (Number(8) * *end).whole() && fits(claim.work, Number(2) * sum.size, -3);
  };
  if (!usable(sum.held_low)) sum.held_low.reset();
  if (!usable(sum.held_high)) sum.held_high.reset();
  return sum;
}

Number unshared_noise(const Claim& claim, const std::vector<Fact>& facts, const SparseMatrix::Row& row, double bias) {
  Number noise = Number(static_cast<double>(row.size()) + 3) * relative_step(claim.work) * Number(std::fabs(bias));
  for (const auto& [column, w] : row) noise += Number(std::fabs(w)) * facts[column].noise;
  return noise;
}

void add_leftover(const Claim& claim, const Number& leftover, Fact& fact) {
  if (leftover.zero()) return;
  const Number size = fact.size() + fact.error + leftover;
  const Number once = leftover + half_step(claim.work, size);
  const Number extra = once + half_step(claim.store, size + once);
  fact.error += extra;
  fact.additive += extra;
  fact.cap.reset();
  fact.positive = fact.gridded = fact.silent = false;
}

Fact store(const Claim& claim, const Combination& sum) {
  Fact fact;
  if (sum.rest.size() == 1 && sum.rest[0].from == sum.rest[0].to && sum.rest[0].from.whole()) {
    fact.spans = {{sum.low(), sum.high()}};
  } else {
    fact.whole = false;
    if (sum.whole_from == sum.whole_to) {
      fact.spans.clear();
      for (const Span& span : sum.rest) fact.spans.push_back({span.from + sum.whole_from, span.to + sum.whole_from});
    } else {
      fact.spans = {{sum.low(), sum.high()}};
    }
  }
  fact.error = sum.error;
  fact.grid = sum.grid;
  if (claim.narrow() && !(sum.exact && fits(claim.store, sum.size, sum.grid)))
    fact.error += half_step(claim.store, sum.size);
  fact.positive = fact.error <= max(fact.low(), Number(0));
  return fact;
}

}  // namespace quench::check
