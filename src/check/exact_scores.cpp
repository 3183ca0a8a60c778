// Scores of our constructions are sums of few products, each a multiple of some power of two; together they stay within
// the mantissa, so that no order of summation rounds.
#include <cmath>

#include "check/head.h"

namespace quench::check {
namespace {

using Grows = ExactScores::Grows;

/// What a projection stores: one stored number times a power of two is not rounded again.
Fact project(const Claim& claim, const std::vector<Fact>& facts, const SparseMatrix::Row& row) {
  if (row.size() == 1 && power_of_two(row[0].value)) {
    Fact x = facts[row[0].column];
    const Number w(row[0].value), size = w.absolute() * (x.size() + x.error);
    x.grid += last_bit(row[0].value);
    if ((x.error.zero() || x.gridded) && size <= Number(claim.store.max_finite) &&
        x.grid > claim.store.min_exponent - claim.store.precision) {
      for (Span& span : x.spans) span = {w * span.from, w * span.to};
      x.error = w.absolute() * x.error;
      x.gridded = true;
      return x;
    }
  }
  const Combination sum = combine(claim, facts, row, 0);
  Fact x = store(claim, sum);
  x.gridded = sum.gridded;
  return x;
}

}  // namespace

ExactScores HeadCheck::exact_scores() const {
  const bool by_power = head_.temperature == Temperature::inverse_power;
  if (!by_power && head_.temperature != Temperature::one) throw Rejected("an unexpected temperature");
  ExactScores result;
  Number total, of_position;  // sizes of products, before scaling
  long grid = 0;
  bool first = true;
  Number digit[3];
  bool seen[3] = {false, false, false};
  for (const Product& product : products_) {
    // The query.
    Grows grows = Grows::constant;
    bool parity = false, may_be_inexact = false;
    Number factor(scale_);
    if (product.q.size() == 3) {
      double w[3] = {0, 0, 0};
      for (const auto& entry : product.q)
        for (int d = 0; d < 3; ++d)
          if (role(entry.column) == static_cast<Role>(static_cast<int>(Role::digit_0) + d)) w[d] = entry.value;
      if (!power_of_two(w[0]) || w[0] == 0 || w[1] != 256 * w[0] || w[2] != w[1] ||
          std::fabs(w[0]) < std::ldexp(1.0, claim_.store.min_exponent))
        throw Rejected("a query that is not i in digits");
      grows = Grows::i, may_be_inexact = claim_.narrow();
      factor = factor * Number(w[0]);
    } else if (product.q.size() == 1 && power_of_two(product.q[0].value)) {
      const std::uint32_t column = product.q[0].column;
      factor = factor * Number(product.q[0].value);
      if (role(column) == Role::i || role(column) == Role::n) {
        grows = role(column) == Role::i ? Grows::i : Grows::n;
        for_kinds([&](int, const std::vector<Fact>& facts) {
          may_be_inexact = may_be_inexact || !facts[column].error.zero();
        });
      } else if (!constantly(column, 1)) {
        parity = alternates(column);
        if (!parity) throw Rejected("a query of no known meaning");
      }
    } else {
      throw Rejected("a query that is not one coordinate");
    }
    if (by_power) {
      if (grows != Grows::constant) throw Rejected("a query that grows against the temperature");
      grows = Grows::power;
    }
    const Number loss = !may_be_inexact         ? Number(0)
                        : product.q.size() == 3 ? relative_step(claim_.store)
                                                : worst_relative(product.q[0].column);
    // The key.
    SparseMatrix::Row levels;
    Number position_here;
    for (const SparseMatrix::Entry& entry : product.k) {
      const Role r = role(entry.column);
      const Number coefficient = factor * Number(entry.value);
      if (parity) {
        if (!alternates(entry.column) || !result.parity.zero() || !power_of_two(entry.value))
          throw Rejected("a parity that does not meet one");
        result.parity = coefficient, result.parity_grows = grows;
        continue;
      }
      const bool small = r == Role::i || (r >= Role::digit_0 && r <= Role::digit_2);
      const bool scaled = r == Role::i_over_power || (r >= Role::digit_0_over_power && r <= Role::digit_2_over_power);
      if (!small && !scaled) {
        levels.push_back(entry);
        continue;
      }
      if (grows != (scaled ? Grows::power : Grows::constant) || !power_of_two(entry.value))
        throw Rejected("a position that is scaled");
      Number each = coefficient;  // per position
      if (r == Role::i || r == Role::i_over_power) {
        if (!result.position.zero()) throw Rejected("a position that occurs twice");
        result.position = each;
      } else {
        const int d = static_cast<int>(r) - static_cast<int>(scaled ? Role::digit_0_over_power : Role::digit_0);
        if (!scaled && d > 0) each = each / Number(256);
        if (seen[d]) throw Rejected("a digit that occurs twice");
        seen[d] = true, digit[d] = each;
      }
      position_here = each.absolute() / Number(scale_) * (scaled ? Number(1) : n_);
    }
    if (!levels.empty()) {
      if (!result.levels.empty()) throw Rejected("levels in two products");
      double unit = std::fabs(levels[0].value);
      for (const auto& entry : levels) unit = std::fmin(unit, std::fabs(entry.value));
      if (!power_of_two(unit)) throw Rejected("levels not scaled by a power of two");
      for (auto& entry : levels) entry.value /= unit;
      std::vector<Number> seen_levels;
      for_kinds([&](int, const std::vector<Fact>& facts) {
        const Combination sum = combine(claim_, facts, levels, 0);
        if (!sum.exact || sum.rest.size() != 1 || !(sum.rest[0].from == sum.rest[0].to) ||
            !(sum.high() - sum.low() <= Number(1)))
          throw Rejected("a key that is not of two exact levels");
        for (const Number& x : {sum.low(), sum.high()}) {
          bool known = false;
          for (const Number& y : seen_levels) known = known || x == y;
          if (!known) seen_levels.push_back(x);
        }
      });
      if (seen_levels.size() > 2) throw Rejected("a key with more than two levels");
      const Number step = seen_levels.size() == 2 ? (seen_levels[0] - seen_levels[1]).absolute() : Number(1);
      result.level = factor * Number(unit) * step;
      result.level_grows = grows, result.level_loss = loss, result.levels = levels;
      if (!(Number(0) < result.level)) throw Rejected("levels upside down");
    } else if (!loss.zero()) {
      throw Rejected("an inexact query");
    }
    // Exactness.
    Number q_size, k_size;
    long product_grid = 0;
    bool start = true;
    for_kinds([&](int, const std::vector<Fact>& facts) {
      const Fact q = project(claim_, facts, product.q), k = project(claim_, facts, product.k);
      const bool fine = q.gridded && k.gridded && k.error.zero() && (q.error.zero() || may_be_inexact);
      if (!fine) throw Rejected("scores are not exact");
      q_size = max(q_size, q.size() + q.error), k_size = max(k_size, k.size() + k.error);
      product_grid = start ? q.grid + k.grid : std::min(product_grid, q.grid + k.grid);
      start = false;
    });
    grid = first ? product_grid : std::min(grid, product_grid);
    first = false;
    if (levels.empty() && !parity)
      of_position = max(of_position, position_here);
    else
      total += q_size * k_size;
  }
  if (seen[0] || seen[1] || seen[2]) {
    if (!result.position.zero() || !seen[0] || !seen[1] || !seen[2] || !(digit[0] == digit[1]) ||
        !(digit[0] == digit[2]))
      throw Rejected("digits that are not those of a position");
    result.position = digit[0];
  }
  total += of_position;
  const Number scaled_up = by_power ? Number::two_to(log_of_power(claim_)) : Number(1);
  if (!fits(claim_.work, total, grid) || grid + last_bit(scale_) <= claim_.work.min_exponent - claim_.work.precision ||
      !(total * scaled_up <= Number(claim_.work.max_finite)) || !(scaled_up <= Number(claim_.work.max_finite)))
    throw Rejected("scores are not exact at this length");
  return result;
}

}  // namespace quench::check
