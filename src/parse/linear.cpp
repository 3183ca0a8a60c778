#include "parse/linear.h"

#include <algorithm>
#include <cstdint>

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
  for (const LinearTerm::Part& part : term.parts) to.parts.push_back({part.count, sign * part.coefficient});
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
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.count < b.count; });
  const int sign = term.negative ? -1 : 1;

  lang::Term result;
  for (std::size_t k = 0; k < parts.size();) {
    const lang::Count count = parts[k].count;
    Int128 coefficient = 0;
    for (; k < parts.size() && parts[k].count == count; ++k) coefficient += sign * parts[k].coefficient;
    if (!fits_64(coefficient)) return std::nullopt;
    if (coefficient != 0) result.parts.push_back({static_cast<std::int64_t>(coefficient), count});
  }
  if (!fits_64(sign * term.constant)) return std::nullopt;
  result.constant = static_cast<std::int64_t>(sign * term.constant);
  return result;
}

}  // namespace quench::parse
