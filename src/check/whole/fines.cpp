// [Q-penalty], as the checker sees it. Some products of a query's and a key's component are fines: never positive,
// multiples of some 2^g, and 0 at an end z of the word that no query's mask hides. What remains of a score without
// them, the merit, adds up exactly whatever the order. Then for a query
//
//   keys that pay nothing, z among them, score their merit to the last bit, for zeros change no sum;
//   a key that pays F ≥ 2^g scores its merit less F up to rounding. Adding T numbers whose sizes add up to S, by
//   operations with a relative error of u = 2^{1−p} at most, is off by Tu/(1 − Tu)·S ≤ 2TuS if Tu ≤ 1/2. S is F and the
//   sizes of the merits' products, M: so it scores at most (best merit) − F(1 − 2Tu) + 2TuM, and most if F = 2^g.
//
// If that is a unit less than the merit of z, who pays is a unit behind whoever wins.
#include <algorithm>
#include <map>

#include "check/whole/factors.h"

namespace quench::check {
namespace {

using Of = Sight::Of;

Bounds times(const Bounds& a, const Bounds& b) {
  const auto [low, high] = std::minmax({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
  return {low, high};
}

struct Court {
  const Cells& cells;
  const model::Head& head;
  Of end;

  Bounds key_at_end(const Term& term) const {
    Bounds sum;
    for (const auto& [column, w] : head.k.rows[term.row]) {
      const Everywhere& x = cells[column].bounds;
      plus(sum, scaled(end == Of::first ? x.first : x.last, static_cast<Int>(w)));
    }
    return sum;
  }
  /// Where the end's mark is 0.
  Bounds key_elsewhere(const Term& term) const {
    Bounds sum;
    for (const auto& [column, w] : head.k.rows[term.row])
      if (cells[column].sight.of != end) plus(sum, scaled(cells[column].bounds.any, static_cast<Int>(w)));
    return sum;
  }
  bool is_fine(const Term& term) const {
    return term.size() > 0 && key_at_end(term) == Bounds{0, 0} &&
           times(term.q.bounds.any, key_elsewhere(term)).high <= 0;
  }
};

}  // namespace

bool adds_up_exactly(const Claim& claim, const std::vector<Term>& terms) {
  Int size = 0;
  long grid = 100;
  for (const Term& term : terms) {
    size += term.size();
    grid = std::min(grid, term.grid());
  }
  return size < Int(1) << 53 && fits(claim.work, Number(static_cast<double>(size)), grid);
}

std::optional<Merits> merits(const Claim& claim, const Cells& cells, const model::Head& head,
                             const std::vector<Term>& terms) {
  for (const Of end : {Of::first, Of::last}) {
    if (head.mask == (end == Of::first ? Mask::past : Mask::future)) continue;
    const Court court{cells, head, end};
    std::map<long, std::vector<Term>> fines;  // by g
    std::vector<Term> merits;
    for (const Term& term : terms) (court.is_fine(term) ? fines[term.grid()] : merits).push_back(term);
    if (fines.empty() || !adds_up_exactly(claim, merits)) continue;
    while (fines.size() > 1) {  // the smallest may be merits as well
      std::vector<Term> more = merits;
      more.insert(more.end(), fines.begin()->second.begin(), fines.begin()->second.end());
      if (!adds_up_exactly(claim, more)) break;
      merits = std::move(more);
      fines.erase(fines.begin());
    }
    const long least = fines.begin()->first;
    if (least < 0 || least > 52) throw Rejected("fines beyond measure");
    Int best = 0, at_end = 0, sizes = 0, all = 0;
    for (const Term& term : merits) {
      best += times(term.q.bounds.any, term.k.bounds.any).high;
      at_end += times(term.q.bounds.any, court.key_at_end(term)).low;
      sizes += term.size();
    }
    for (const auto& [grid, group] : fines)
      for (const Term& term : group) {
        need_room(claim.work, term.size(), grid, "a product is not exact");
        all += term.size();
      }
    if (all + sizes >= Int(1) << 52 || 2 * static_cast<double>(all + sizes) > claim.work.max_finite)
      throw Rejected("scores beyond what the format holds");
    const auto count = static_cast<Int>(head.q.rows.size());
    const int p = claim.work.precision;
    if (count > Int(1) << (p - 2)) throw Rejected("too many terms to bound what rounding does");
    const Int fine = Int(1) << least, part = Int(1) << (p - 2);  // 2Tu = T/2^{p−2}
    const Int off = (count * (fine + sizes) + part - 1) / part;
    return Merits{std::move(merits), fine - off - (best - at_end)};
  }
  return std::nullopt;
}

}  // namespace quench::check
