// Magnitudes stay below 2^100: weights and arguments are below 2^60, and sums have fewer than 2^20 terms.
#include "check/whole/profile.h"

#include <algorithm>

namespace quench::check {
namespace {

Int floor_quotient(Int a, Int b) {  // b > 0
  const Int q = a / b;
  return q * b > a ? q - 1 : q;
}

}  // namespace

Profile::Profile(Int from, Int to, Int slope, Int constant) : pieces_{{from, to, slope, constant}} {}

void Profile::add(const Profile& other, Int factor) {
  std::vector<Piece> sum;
  std::size_t a = 0, b = 0;
  for (Int x = pieces_.front().from; a < pieces_.size() && b < other.pieces_.size();) {
    const Piece &p = pieces_[a], &q = other.pieces_[b];
    const Int to = std::min(p.to, q.to);
    const Piece next{x, to, p.slope + factor * q.slope, p.constant + factor * q.constant};
    if (!sum.empty() && sum.back().slope == next.slope && sum.back().constant == next.constant)
      sum.back().to = to;
    else
      sum.push_back(next);
    a += p.to == to;
    b += q.to == to;
    x = to + 1;
  }
  pieces_ = std::move(sum);
}

Profile Profile::positive_part() const {
  Profile result = *this;
  result.pieces_.clear();
  const auto put = [&](Int from, Int to, Int slope, Int constant) {
    if (from <= to) result.pieces_.push_back({from, to, slope, constant});
  };
  for (const Piece& p : pieces_) {
    if (p.at(p.from) >= 0 && p.at(p.to) >= 0) {
      put(p.from, p.to, p.slope, p.constant);
    } else if (p.at(p.from) <= 0 && p.at(p.to) <= 0) {
      put(p.from, p.to, 0, 0);
    } else if (p.slope > 0) {
      const Int last_below = floor_quotient(-p.constant, p.slope);  // slope·x + constant ≤ 0
      put(p.from, last_below, 0, 0);
      put(last_below + 1, p.to, p.slope, p.constant);
    } else {
      const Int last_above = floor_quotient(p.constant, -p.slope);  // ≥ 0
      put(p.from, last_above, p.slope, p.constant);
      put(last_above + 1, p.to, 0, 0);
    }
  }
  return result;
}

Bounds Profile::bounds(const Bounds& where) const {
  const Bounds all = run();
  Int low = std::max(where.low, all.low), high = std::min(where.high, all.high);
  if (low > high) low = all.low, high = all.high;
  bool any = false;
  Bounds result;
  for (const Piece& p : pieces_) {
    const Int from = std::max(p.from, low), to = std::min(p.to, high);
    if (from > to) continue;
    for (const Int y : {p.at(from), p.at(to)}) {
      result = any ? Bounds{std::min(result.low, y), std::max(result.high, y)} : Bounds{y, y};
      any = true;
    }
  }
  return result;
}

bool Profile::is(Int slope, Int constant) const {
  return std::all_of(pieces_.begin(), pieces_.end(), [&](const Piece& p) {
    return p.at(p.from) == slope * p.from + constant && p.at(p.to) == slope * p.to + constant;
  });
}

}  // namespace quench::check
