// [Q-limbs]: sums of whole numbers of any size, clipped to 0 … n+1, in numbers below 2^p.
//
// V(j) = Σ_c c·(a Boolean): counts of Booleans with large coefficients, or, of a number that is no such sum, its bits
// and those of its opposite ([Q-bits]; what is below 0 has none). The coefficients are split into limbs of r bits, |c|
// = Σ_k 2^{rk}·digit_k(c), and S_k = Σ_j Σ_c ±digit_k(c)·(its Boolean) is a sum over positions of small numbers
// ([Q-count]): all limbs share its heads. The sum is T = Σ_k 2^{rk}·S_k, and clip(T) is wanted.
//
//   No coefficient is negative: T ≥ 2^{rk}·S_k for each k, so S_k may be cut off at ⌈(N+2)/2^{rk}⌉, and 2^{rk} at N +
//   2: if nothing was cut off the sum is T, and otherwise both are beyond n + 1. Two feed-forwards, whatever the number
//   of limbs. Otherwise, from the top: T_k = S_k + 2^r·T_{k+1}, kept within −D_k … C_k, with C_0 = N + 1, D_0 = 0 and
//   C_{k+1} = ⌈(C_k + N·b_k)/2^r⌉, D_{k+1} likewise, where −N·b_k ≤ S_k ≤ N·b'_k. What was cut off at C_{k+1} is at
//   least 2^r·C_{k+1} − N·b_k ≥ C_k, both as it was and as it is, and so on down to N + 1 ≥ n + 1. One feed-forward per
//   limb.
#include <fmt/format.h>

#include <cmath>

#include "bounds/exact.h"
#include "bounds/limbs.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using ir::Affine;
using lang::Scope;

namespace {

/// As many bits as whole numbers from 0 to `greatest` have.
int bits_to(double greatest) {
  int bits = 1;
  while (std::exp2(bits) <= greatest) ++bits;
  return bits;
}

}  // namespace

/// The number as a sum of Booleans: itself, or its bits and those of its opposite.
std::vector<ExactConstructions::Summand> ExactConstructions::summands(const Affine& v, const std::string& label) {
  std::vector<Summand> result;
  bool booleans = true;
  for (const Affine::Term& term : v.terms) booleans = booleans && graph_.boolean(term.node);
  if (booleans) {
    if (v.constant != 0) result.push_back({graph_.truth(true), v.constant});
    for (const Affine::Term& term : v.terms) result.push_back({{term.node, false}, term.coefficient});
    return result;
  }
  const ir::Range range = graph_.range(v);
  for (const double sign : {1.0, -1.0}) {
    const double greatest = sign > 0 ? range.high : -range.low;
    if (greatest <= 0) continue;
    Affine y = sign * v;
    const std::vector<Affine> bits =
        upper_bits(y, 0, greatest, sign > 0 ? label : "minus " + label, bits_to(greatest), 0);
    for (std::size_t b = 0; b < bits.size(); ++b)
      result.push_back({{bits[b].terms[0].node, false}, sign * std::exp2(static_cast<double>(b))});
  }
  return result;
}

Affine ExactConstructions::sum_of(const std::vector<Summand>& summands, Scope scope, bool strict,
                                  const std::string& label) {
  std::vector<WeightedCount> counts;
  Affine here;
  for (const auto& [of, coefficient] : summands) {
    counts.push_back({static_cast<Int128>(coefficient), scope, of, label});
    here += coefficient * Affine(of);
  }
  if (counts.empty()) return 0;
  const Affine all = sum_of(counts, label);
  return strict ? all - here : all;
}

std::optional<Affine> ExactConstructions::clipped_sum(const std::vector<Summand>& summands, Scope scope, bool strict,
                                                      const std::string& label) {
  std::vector<double> coefficients;
  for (const Summand& summand : summands) coefficients.push_back(summand.coefficient);
  std::optional<bounds::LimbPlan> plan = bounds::limb_plan(coefficients, length_, bounds::kNarrowestSums);
  if (!plan) plan = bounds::limb_plan(coefficients, length_, 53);
  if (!plan) return std::nullopt;
  const auto kept = [&](const Affine& x, double low, double high, const std::string& name) -> Affine {
    const ir::Range range = graph_.range(x);
    if (range.low >= low && range.high <= high) return x;
    return graph_.add(ir::Piecewise{{{x - low, 1}, {x - high, -1}}, low, low, high}, name);
  };
  Affine total;
  for (std::size_t k = plan->count; k-- > 0;) {
    std::vector<Summand> digits;
    for (const auto& [of, coefficient] : summands)
      if (const double digit = plan->digit(coefficient, k); digit != 0) digits.push_back({of, digit});
    const Affine sum = sum_of(digits, scope, strict, fmt::format("limb {} of {}", k, label));  // S_k
    const std::string name = fmt::format("limb {} of {}, kept", k, label);
    if (!plan->from_the_top)
      total += plan->weight[k] * (plan->count == 1 ? sum : kept(sum, 0, plan->above[k], name));
    else if (k > 0)
      total = kept(sum + plan->weight[k] * total, -plan->below[k], plan->above[k], name);
    else
      total = sum + plan->weight[0] * total;
  }
  const Affine beyond = length() + 1;
  return graph_.add(ir::Piecewise{{{total, 1}, {total - beyond, -1}}, 0, 0, length_ + 1}, label);
}

}  // namespace quench::lower
