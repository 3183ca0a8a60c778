#include "parse/formula/linear_terms.h"

#include <algorithm>
#include <cstdint>
#include <tuple>

namespace quench::parse {
namespace {

constexpr Int128 kBound = Int128{1} << 63;

bool in_bound(Int128 value) { return value >= -kBound && value <= kBound; }
bool fits_64(Int128 value) { return value >= -kBound && value < kBound; }

}  // namespace

bool add(LinearTerm& to, const LinearTerm& term, bool subtract) {
  const int sign = subtract != (to.negative != term.negative) ? -1 : 1;
  to.interned = {};
  to.constant += sign * term.constant;
  for (const LinearTerm::Part& part : term.parts) to.parts.push_back({part.count, sign * part.coefficient, part.place});
  return in_bound(to.constant);
}

bool scale(LinearTerm& term, Int128 factor) {
  term.interned = {};
  if (factor < 0) {
    term.negative = !term.negative;
    factor = -factor;
  }
  if (factor == 1) return true;
  if (factor == 0) term.parts.clear();
  term.constant *= factor;
  bool fits = in_bound(term.constant);
  for (LinearTerm::Part& part : term.parts) fits = in_bound(part.coefficient *= factor) && fits;
  return fits;
}

std::optional<lang::Term> normalise(const LinearTerm& term) {
  std::vector<LinearTerm::Part> parts = term.parts;
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return std::tie(a.count, a.place) < std::tie(b.count, b.place); });
  std::size_t kept = 0;
  for (std::size_t k = 0; k < parts.size();) {
    LinearTerm::Part sum = parts[k];  // the first mention is where it stays
    for (++k; k < parts.size() && parts[k].count == sum.count; ++k) sum.coefficient += parts[k].coefficient;
    if (sum.coefficient != 0) parts[kept++] = sum;
  }
  parts.resize(kept);
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.place < b.place; });

  const int sign = term.negative ? -1 : 1;
  lang::Term result;
  for (const LinearTerm::Part& part : parts) {
    if (!fits_64(sign * part.coefficient)) return std::nullopt;
    result.parts.push_back({static_cast<std::int64_t>(sign * part.coefficient), part.count});
  }
  if (!fits_64(sign * term.constant)) return std::nullopt;
  result.constant = static_cast<std::int64_t>(sign * term.constant);
  return result;
}

}  // namespace quench::parse
