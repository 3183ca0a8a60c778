#include "run/structured/methods/codes/penalties.h"

#include <bit>
#include <cstdint>

namespace quench::run {

namespace {

constexpr std::size_t kNoCode = SIZE_MAX;

/// Where two columns are alike: at no position (nothing), at one, or at several (kNoCode).
std::optional<std::size_t> alike_at(const WordColumn& a, const WordColumn& b, std::size_t n) {
  std::optional<std::size_t> found;
  for (std::size_t p = 0; p < n; p += kColumnBits) {
    std::uint64_t same = ~(a.bits[p / kColumnBits] ^ b.bits[p / kColumnBits]);
    if (n - p < kColumnBits) same &= (std::uint64_t{1} << (n - p)) - 1;
    if (same == 0) continue;
    if (found || !std::has_single_bit(same)) return kNoCode;
    found = p + static_cast<std::size_t>(std::countr_zero(same));
  }
  return found;
}

std::size_t first_high(const WordColumn& column) {
  std::size_t word = 0;
  while (column.bits[word] == 0) ++word;
  return word * kColumnBits + static_cast<std::size_t>(std::countr_zero(column.bits[word]));
}

double cost(Columns& columns, std::size_t l) { return columns.q(l).high * (columns.k(l).high - columns.k(l).low); }

}  // namespace

std::optional<PenaltyPairs> penalty_pairs(Columns& columns, const std::vector<std::size_t>& components, std::size_t n) {
  PenaltyPairs result{kNoCode, {}, {}};
  const auto settle = [&](std::size_t sink) {
    if (result.sink == kNoCode) result.sink = sink;
    return result.sink == sink;
  };
  std::vector<bool> taken(components.size(), false);
  for (std::size_t a = 0; a < components.size(); ++a) {
    const WordColumn &q = columns.q(components[a]), &k = columns.k(components[a]);
    if (!q.few() || q.low != 0 || cost(columns, components[a]) != cost(columns, components[0])) return std::nullopt;
    for (std::size_t b = a + 1; b < components.size() && !taken[a]; ++b) {
      const WordColumn &other_q = columns.q(components[b]), &other_k = columns.k(components[b]);
      if (taken[b] || !other_q.few() || alike_at(q, other_q, n)) continue;
      const std::optional<std::size_t> sink = alike_at(k, other_k, n);
      if (!sink || *sink == kNoCode || !(k.bits[*sink / kColumnBits] >> *sink % kColumnBits & 1)) continue;
      if (!settle(*sink)) return std::nullopt;
      taken[a] = taken[b] = true;
      result.either.push_back(components[a]);
    }
    if (taken[a]) continue;
    if (k.ones != 1 || !settle(first_high(k))) return std::nullopt;
    result.alone.push_back(components[a]);
  }
  if (components.empty()) return std::nullopt;
  return result;
}

}  // namespace quench::run
