#include "check/whole/factors.h"

#include <algorithm>

namespace quench::check {
namespace {

Int common_divisor(Int a, Int b) { return b == 0 ? a : common_divisor(b, a % b); }

Total stored_total(const Claim& claim, const Cells& cells, const SparseMatrix::Row& row) {
  const Total sum = total(claim, cells, row, 0);
  need_room(claim.store, size_of(sum.bounds.any), sum.grid, "a query or key is not stored exactly");
  return sum;
}

Factor factor_of(const Cells& cells, const std::map<std::size_t, Int>& products, Int root, Int& unit) {
  Factor factor;
  for (const auto& [query, product] : products) {
    if (product == 0) continue;
    if (product % root != 0) throw Rejected("scores that are not whole");
    const Int w = product / root;
    const Bounds& any = cells[query].bounds.any;
    unit = common_divisor(w < 0 ? -w : w, unit);
    if (any.low == any.high)
      factor.fixed += w * any.low;
    else
      factor.by[query] = w;
    factor.row.push_back({static_cast<std::uint32_t>(query), static_cast<double>(w)});
  }
  return factor;
}

}  // namespace

Factors score_factors(const Claim& claim, const Cells& cells, const model::Head& head, Int& unit) {
  const auto rows = static_cast<Int>(head.q.rows.size());
  Int root = 1;
  while (root * root < rows) root *= 2;
  if (root * root != rows) throw Rejected("the width of queries is not a power of four");
  std::vector<Term> terms;
  for (std::size_t l = 0; l < head.q.rows.size(); ++l)
    if (!head.q.rows[l].empty() && !head.k.rows[l].empty())
      terms.push_back({l, stored_total(claim, cells, head.q.rows[l]), stored_total(claim, cells, head.k.rows[l])});
  std::optional<Int> ahead;
  if (!adds_up_exactly(claim, terms)) {
    std::optional<Merits> without_fines;
    if (head.claim.lemma == Lemma::q_match) without_fines = merits(claim, cells, head, terms);
    if (!without_fines) throw Rejected("the scores are not exact");
    terms = std::move(without_fines->terms);
    ahead = without_fines->ahead;
  }
  std::map<std::size_t, std::map<std::size_t, Int>> products;
  for (const Term& term : terms)
    for (const auto& [key, a] : head.k.rows[term.row])
      for (const auto& [query, b] : head.q.rows[term.row])
        products[key][query] += static_cast<Int>(a) * static_cast<Int>(b);
  Factors factors;
  unit = 0;
  for (const auto& [key, by] : products) {
    if (cells[key].bounds.any.low == cells[key].bounds.any.high) continue;
    Factor factor = factor_of(cells, by, root, unit);
    if (!factor.row.empty()) factors[key] = std::move(factor);
  }
  // e^{−unit} is below half of the smallest positive number, 2^(min_exponent − precision + 1).
  const Number threshold = Number::two_to(claim.work.min_exponent - claim.work.precision);
  if (claim.longest > 1 && (unit == 0 || !(Number(-static_cast<double>(unit)).exponential() < threshold)))
    throw Rejected("keys that lose do not vanish");
  if (ahead && claim.longest > 1 && *ahead < unit * root) throw Rejected("keys that pay are too near");
  return factors;
}

}  // namespace quench::check
