// Comparisons of counts: one side minus the other, with equal counts taken together. Counts range over 0, 1, 2, …; a
// count of what never holds is 0, and a count of what always holds is at least 1.
#include <cstdint>

#include "lint/classes.h"

namespace quench::lint {

using lang::Relation;

Classes::Sum Classes::difference(const lang::Comparison& node) const {
  Sum sum;
  const auto add = [&](lang::TermId id, int sign) {
    for (const lang::Term::Part& part : formula_[id].parts)
      if (const Truth counted = of(part.count.of); !never(counted))
        sum[{static_cast<int>(part.count.scope), counted}] += Int128{sign} * part.coefficient;
  };
  add(node.left, 1);
  add(node.right, -1);
  std::erase_if(sum, [](const auto& entry) { return entry.second == 0; });
  return sum;
}

bool Classes::compares_counts(lang::FormulaId comparison) const {
  const auto* node = std::get_if<lang::Comparison>(&formula_[comparison]);
  return node && !difference(*node).empty();
}

Truth Classes::comparison(lang::FormulaId id, const lang::Comparison& node) {
  const Sum sum = difference(node);
  const Int128 constant = Int128{formula_[node.left].constant} - formula_[node.right].constant;
  switch (node.relation) {
    case Relation::greater_equal:
      return compared(id, sum, constant, false);
    case Relation::greater:
      return compared(id, sum, constant - 1, false);
    case Relation::less:
      return !compared(id, sum, constant, false);
    case Relation::less_equal:
      return !compared(id, sum, constant - 1, false);
    case Relation::equal:
      return compared(id, sum, constant, true);
    case Relation::not_equal:
      return !compared(id, sum, constant, true);
  }
  return {};
}

/// sum + constant ≥ 0, or = 0.
Truth Classes::compared(lang::FormulaId id, const Sum& sum, Int128 constant, bool equal) {
  bool falls = false, grows = false;
  Int128 end = constant;  // the least if nothing falls, the greatest if nothing grows
  for (const auto& [count, times] : sum) {
    (times > 0 ? grows : falls) = true;
    if (always(count.second)) end += times;
  }
  const bool at_least_0 = !falls && end >= 0, below_0 = !grows && end < 0;
  if (equal ? !falls && !grows && end == 0 : at_least_0) return always_;
  if (below_0 || (equal && !falls && end > 0)) return !always_;

  // −x ≥ 0 is !(x − 1 ≥ 0), and −x = 0 is x = 0.
  const bool turned = sum.begin()->second < 0;
  const Int128 kept = turned ? (equal ? -constant : -constant - 1) : constant;
  const auto fits = [](Int128 x) { return x >= INT64_MIN && x <= INT64_MAX; };
  Compared node{{}, static_cast<std::int64_t>(kept), equal};
  bool all_fit = fits(kept);
  for (const auto& [count, times] : sum) {
    const Int128 signed_times = turned ? -times : times;
    all_fit = all_fit && fits(signed_times);
    node.counts.push_back({count.first, count.second, static_cast<std::int64_t>(signed_times)});
  }
  // Each relation of one comparison is a fact of its own then.
  if (!all_fit) return add(Opaque{id});
  return {add(node).of, turned && !equal};
}

}  // namespace quench::lint
