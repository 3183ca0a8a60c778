// With g = gcd(c, m), c·κ mod m takes the m/g values c·v, v = κ mod m/g. So the sum of several counts needs m/g rests
// of each; and one count alone needs a single one: c·κ ≡ w (mod m) holds for no κ unless g divides w, and else for κ ≡
// v (mod m/g), v the only one of these with c·v ≡ w.
//
// The table adds count by count: [the first k counts make x] is a sum over v of [the first k−1 make x − c_k·v] ∧
// [κ_k ≡ v], of which at most one is true.
#include "lower/congruence.h"

#include <fmt/format.h>

#include <numeric>

#include "base/number/int128.h"

namespace quench::lower {
namespace {

Predicate rest_predicate(std::int64_t modulus, std::int64_t rest) {
  Predicate predicate;
  if (modulus == 2) {
    predicate.kind = rest == 1 ? Predicate::Kind::odd : Predicate::Kind::even;
    predicate.name = rest == 1 ? "odd" : "even";
  } else {
    predicate.kind = Predicate::Kind::mod;
    predicate.modulus = modulus;
    predicate.residue = rest;
    predicate.name = fmt::format("mod({},{})", modulus, rest);
  }
  return predicate;
}

std::int64_t modulo(Int128 x, std::int64_t m) {
  const auto rest = static_cast<std::int64_t>(x % m);
  return rest < 0 ? rest + m : rest;
}

/// The v below the order of c with c·v ≡ w (mod m); −1 if there is none. By Euclid's algorithm.
std::int64_t solution(std::int64_t c, std::int64_t w, std::int64_t m) {
  const std::int64_t g = std::gcd(c, m), order = m / g;
  if (w % g != 0) return -1;
  Int128 a = c / g, b = order, x = 1, y = 0;  // a ≡ x·(c/g), b ≡ y·(c/g) modulo the order
  while (b != 0) {
    const Int128 q = a / b;
    a = std::exchange(b, a - q * b);
    x = std::exchange(y, x - q * y);
  }
  return modulo(Int128(modulo(x, order)) * (w / g), order);
}

}  // namespace

CongruenceParts congruence_parts(const lang::Formula& formula, const lang::Congruence& congruence) {
  const lang::Term& term = formula[congruence.term];
  const auto [modulus, residue] = *residue_class(formula[congruence.predicate]);
  CongruenceParts result;
  result.modulus = modulus;
  result.wanted = modulo(Int128(residue) - term.constant, modulus);
  for (const lang::Term::Part& part : term.parts)
    if (const std::int64_t step = modulo(part.coefficient, modulus); step != 0)
      result.counts.push_back({part.count, step, {}});
  result.tractable = result.counts.size() < 2 || modulus <= kMostCases;
  if (!result.tractable) return result;
  if (result.counts.size() == 1) {
    CongruenceParts::Part& only = result.counts.front();
    const std::int64_t rest = solution(only.step, result.wanted, modulus);
    if (rest >= 0) only.rests.push_back(rest_predicate(modulus / std::gcd(only.step, modulus), rest));
    return result;
  }
  for (CongruenceParts::Part& part : result.counts) {
    const std::int64_t order = modulus / std::gcd(part.step, modulus);
    for (std::int64_t v = 0; v < order; ++v) part.rests.push_back(rest_predicate(order, v));
  }
  return result;
}

ir::Literal sum_in_class(ir::Graph& graph, const CongruenceParts& parts,
                         const std::vector<std::vector<ir::Literal>>& rests, const std::string& label) {
  if (rests.empty()) return graph.truth(parts.wanted == 0);
  if (rests.size() == 1) return rests[0].empty() ? graph.truth(false) : rests[0][0];
  const std::int64_t m = parts.modulus;
  std::vector<ir::Literal> sum(static_cast<std::size_t>(m), graph.truth(false));
  sum[0] = graph.truth(true);
  for (std::size_t k = 0; k < rests.size(); ++k) {
    const bool last = k + 1 == rests.size();
    std::vector<ir::Literal> next(static_cast<std::size_t>(m), graph.truth(false));
    for (std::int64_t x = 0; x < m; ++x) {
      if (last && x != parts.wanted) continue;
      std::vector<ir::Literal> ways;
      for (std::size_t v = 0; v < rests[k].size(); ++v) {
        const std::int64_t before = modulo(Int128(x) - Int128(parts.counts[k].step) * static_cast<std::int64_t>(v), m);
        ways.push_back(graph.conjunction({sum[static_cast<std::size_t>(before)], rests[k][v]}));
      }
      next[static_cast<std::size_t>(x)] = last ? graph.disjunction(ways, label) : graph.disjunction(ways);
    }
    sum = std::move(next);
  }
  return sum[static_cast<std::size_t>(parts.wanted)];
}

}  // namespace quench::lower
