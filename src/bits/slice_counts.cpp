#include "bits/slice_counts.h"

#include <algorithm>
#include <bit>
#include <map>

#include "bits/slice_lanes.h"

namespace quench::bits {

using lang::Relation;
using lang::Scope;

namespace {

constexpr std::size_t kNumberDigits = 64;

/// number += size · x for a slice x, modulo 2^width; `size` is not 0. Above the digits of `size` only the carry moves
/// on.
QUENCH_INLINE void add(Vector* number, std::size_t width, Bits size, const Vector& x) {
  Vector carry{};
  std::size_t b = 0;
  for (; size >> b != 0; ++b) {
    const Vector a = number[b], y = x & (Bits{0} - (size >> b & 1)), half = a ^ y;
    number[b] = half ^ carry;
    carry = (a & y) | (half & carry);
  }
  for (; b < width; ++b) {
    const Vector a = number[b];
    number[b] = a ^ carry;
    carry &= a;
  }
}

/// number −= size · x
QUENCH_INLINE void subtract(Vector* number, std::size_t width, Bits size, const Vector& x) {
  Vector borrow{};
  std::size_t b = 0;
  for (; size >> b != 0; ++b) {
    const Vector a = number[b], y = x & (Bits{0} - (size >> b & 1)), half = a ^ y;
    number[b] = half ^ borrow;
    borrow = (~a & y) | (~half & borrow);
  }
  for (; b < width; ++b) {
    const Vector a = number[b];
    number[b] = a ^ borrow;
    borrow &= ~a;
  }
}

QUENCH_INLINE void add_scaled(Vector* number, std::size_t width, std::int64_t coefficient, const Vector& x) {
  if (coefficient > 0) add(number, width, static_cast<Bits>(coefficient), x);
  if (coefficient < 0) subtract(number, width, Bits{0} - static_cast<Bits>(coefficient), x);
}

/// The slice at position i, with nothing beyond the end of a word.
QUENCH_INLINE void within(const Slice* of, const Extent& extent, std::size_t i, Vector& x) {
  x = vectors(of)[i];
  if (i >= extent.shortest) x &= vectors(extent.alive.data())[i - extent.shortest];
}

// D(i) = K + Σ c · count is carried along in two's complement: #← grows before D(i) is read; #→(i) = total − #←(i − 1)
// shrinks after. Every D met on the way is K + Σ c · x with 0 ≤ x ≤ n, so |D − K| ≤ R = n Σ|c|, and K may be brought
// into [−R − 1, R + 1]: beyond, D keeps its sign on both sides. D ≤ 0 is read as D − 1 < 0.
QUENCH_MULTIVERSION void compare_numbers(std::span<const CountedSlices> counts, std::int64_t start, std::size_t width,
                                  bool equality, Bits flip, const Extent& extent, Slice* out) {
  Vector number[kNumberDigits];
  for (std::size_t b = 0; b < width; ++b) number[b] = Vector{} - (static_cast<Bits>(start) >> b & 1);
  Vector x;
  for (const CountedSlices& count : counts)
    if (count.scope != Scope::left)
      for (std::size_t i = 0; i < extent.longest; ++i) {
        within(count.of, extent, i, x);
        add_scaled(number, width, count.coefficient, x);
      }
  for (std::size_t i = 0; i < extent.longest; ++i) {
    for (const CountedSlices& count : counts)
      if (count.scope == Scope::left) add_scaled(number, width, count.coefficient, vectors(count.of)[i]);
    Vector truth = number[width - 1];
    if (equality)
      for (std::size_t b = 0; b + 1 < width; ++b) truth |= number[b];
    vectors(out)[i] = truth ^ flip;
    for (const CountedSlices& count : counts)
      if (count.scope == Scope::right) add_scaled(number, width, -count.coefficient, vectors(count.of)[i]);
  }
}

/// is[v]: in which words the rest is v. Where x holds, all rests move on by `step`.
QUENCH_INLINE void turn(Vector* is, std::size_t m, std::size_t step, const Vector& x) {
  Vector old[kMostRests];
  for (std::size_t v = 0; v < m; ++v) old[v] = is[v];
  for (std::size_t v = 0; v < m; ++v) is[v] = (old[v < step ? v + m - step : v - step] & x) | (old[v] & ~x);
}

/// Coefficients are in 1 … m−1.
QUENCH_MULTIVERSION void congruent_numbers(std::span<const CountedSlices> counts, std::size_t start, std::size_t m,
                                           std::size_t wanted, const Extent& extent, Slice* out) {
  Vector is[kMostRests] = {};
  is[start] = ~Vector{};
  Vector x;
  for (const CountedSlices& count : counts)
    if (count.scope != Scope::left)
      for (std::size_t i = 0; i < extent.longest; ++i) {
        within(count.of, extent, i, x);
        turn(is, m, static_cast<std::size_t>(count.coefficient), x);
      }
  for (std::size_t i = 0; i < extent.longest; ++i) {
    for (const CountedSlices& count : counts)
      if (count.scope == Scope::left)
        turn(is, m, static_cast<std::size_t>(count.coefficient), vectors(count.of)[i]);
    vectors(out)[i] = is[wanted];
    for (const CountedSlices& count : counts)
      if (count.scope == Scope::right)
        turn(is, m, m - static_cast<std::size_t>(count.coefficient), vectors(count.of)[i]);
  }
}

/// θ of the number whose digits these are.
QUENCH_INLINE void decide(const Diagram& diagram, const Vector* digits, Vector* values, Vector& out) {
  std::size_t next = 2;
  for (const Diagram::Decision& decision : diagram.decisions()) {
    const Vector& digit = digits[decision.digit];
    values[next++] = (values[decision.if_1] & digit) | (values[decision.if_0] & ~digit);
  }
  out = values[diagram.answer()];
}

QUENCH_MULTIVERSION void look_up_numbers(const Slice* of, Scope scope, const Diagram& diagram, const Extent& extent,
                                  Slice* scratch, Slice* out) {
  Vector count[kNumberDigits] = {};
  Vector* values = vectors(scratch);
  values[0] = Vector{};
  values[1] = ~Vector{};
  const std::size_t width = diagram.digits();
  if (scope == Scope::left) {
    for (std::size_t i = 0; i < extent.longest; ++i) {
      add(count, width, 1, vectors(of)[i]);
      decide(diagram, count, values, vectors(out)[i]);
    }
    return;
  }
  Vector x;
  for (std::size_t i = extent.longest; i-- > 0;) {
    within(of, extent, i, x);
    add(count, width, 1, x);
    if (scope == Scope::right) decide(diagram, count, values, vectors(out)[i]);
  }
  if (scope == Scope::right) return;
  decide(diagram, count, values, x);
  for (std::size_t i = 0; i < extent.longest; ++i) vectors(out)[i] = x;
}

}  // namespace

void compare(std::span<const CountedSlices> counts, std::int64_t constant, Relation relation, const Extent& extent,
             Slice* out) {
  std::int64_t reach = 1;
  for (const CountedSlices& count : counts)
    reach += std::abs(count.coefficient) * static_cast<std::int64_t>(extent.longest);
  const std::int64_t start = std::clamp(constant, -reach, reach);
  const bool equality = relation == Relation::equal || relation == Relation::not_equal;
  const bool or_zero = relation == Relation::less_equal || relation == Relation::greater;
  const bool negated =
      relation == Relation::equal || relation == Relation::greater || relation == Relation::greater_equal;
  const auto width = static_cast<std::size_t>(std::bit_width(static_cast<Bits>(2 * reach))) + 1;
  compare_numbers(counts, or_zero ? start - 1 : start, width, equality, negated ? kAll : 0, extent, out);
}

void congruent(std::span<const CountedSlices> counts, std::int64_t constant, const ResidueClass& residues,
               const Extent& extent, Slice* out) {
  const std::int64_t m = residues.modulus;
  const auto modulo_m = [&](std::int64_t x) { return (x % m + m) % m; };
  std::vector<CountedSlices> steps;
  for (const CountedSlices& count : counts)
    if (const std::int64_t step = modulo_m(count.coefficient); step != 0)
      steps.push_back({step, count.scope, count.of});
  congruent_numbers(steps, static_cast<std::size_t>(modulo_m(constant)), static_cast<std::size_t>(m),
                    static_cast<std::size_t>(residues.residue), extent, out);
}

// Digit by digit from the lowest: the table of what is left to decide halves, its entries being values decided so far.
// What lies beyond n is open: it takes a value that needs no decision of its own.
Diagram::Diagram(const std::vector<bool>& table) {
  constexpr std::uint32_t kOpen = ~std::uint32_t{0};
  std::vector<std::uint32_t> values(table.begin(), table.end());
  for (; values.size() > 1; ++digits_) {
    if (values.size() % 2 == 1) values.push_back(kOpen);
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> made;
    for (std::size_t k = 0; k < values.size() / 2; ++k) {
      const std::uint32_t if_0 = values[2 * k], if_1 = values[2 * k + 1];
      if (if_1 == kOpen) {  // the last: what was decided for the same if_0, so that the halves stay equal
        const auto same = made.lower_bound({if_0, 0});
        values[k] = same != made.end() && same->first.first == if_0 ? same->second : if_0;
      } else if (if_0 == if_1) {
        values[k] = if_0;
      } else {
        const auto [place, fresh] = made.try_emplace({if_0, if_1}, static_cast<std::uint32_t>(decisions_.size()) + 2);
        if (fresh) decisions_.push_back({static_cast<std::uint32_t>(digits_), if_0, if_1});
        values[k] = place->second;
      }
    }
    values.resize(values.size() / 2);
  }
  answer_ = values.front();
}

void look_up(const Slice* of, Scope scope, const Diagram& diagram, const Extent& extent, Slice* out) {
  Slices scratch(diagram.decisions().size() + 2);
  look_up_numbers(of, scope, diagram, extent, scratch.data(), out);
}

}  // namespace quench::bits
