// [Q-count]: sums over positions, in one layer of L heads.
//
// Let v be whole and 0 at position 1. Where bit t of x = i−1 is 1, head t fits the 2^t keys whose bits above t are x's
// and whose bit t is 0: the t-th block of the partition of 0 … x−1 that x's binary digits make. 2^t times their mean is
// their sum. Where the bit is 0, the sink at position 1 wins, and is worth 0. So the heads add up to Σ_{j<i} v_j:
//     #←[φ] = heads on φ' + φ'(i) + φ(1),     φ' = φ ∧ ¬first.
// #→ is the mirror image, with the bits of n−i and `last`. # asks the bits of n−1, and adds up Σ_{j<n} v_j; so the sink
// is the last position, and φ(n) is added. All sums are whole numbers of at most N·Σ|c_k|, exact in any order while
// that is at most 2^p.
//
// With low > 0 only keys whose bits below `low` are all 1 fit, the last of each block of 2^low: what [Q-blocks] needs.
// With low = t one key does: [Q-half].
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "bounds/exact.h"
#include "ir/affine_sum.h"
#include "lower/exact/exact.h"

namespace quench::lower {

using lang::Scope;

/// float16 has no 2^16, so beyond that the values carry the rest of the factor 2^t.
constexpr int kLargestFactor = 15;

ExactConstructions::Address ExactConstructions::block_address(Scope scope, int t, int low) {
  const Number keys = scope == Scope::right ? Number::after : Number::before;
  const Number queries = scope == Scope::all ? Number::others : keys;
  Address fits;
  for (int b = t + 1; b < bits_; ++b) fits.asked.push_back({bit(queries, b), bit(keys, b)});
  fits.fixed.push_back(!bit(keys, t));
  for (int b = 0; b < low; ++b) fits.fixed.push_back(bit(keys, b));
  fits.sink = {bit(queries, t), sink_of(scope)};
  return fits;
}

ir::HeadId ExactConstructions::block(Scope scope, int t, int low) {
  return address(mask_of(scope), block_address(scope, t, low), HeadStructure::dyadic, Lemma::q_count,
                 fmt::format("block of {}", 1ull << t));
}

ir::HeadId ExactConstructions::half(int k) {
  QUENCH_ASSERT(bounds::half_is_exact(bits_, bounds::kExactGap, bounds::kNarrowestSums));
  return address(Mask::future, block_address(Scope::left, k, k), HeadStructure::address, Lemma::q_address,
                 fmt::format("end of the block of {} before", 1ull << k));
}

ir::Literal ExactConstructions::elsewhere(Scope scope, ir::Literal of) {
  const Number own = scope == Scope::left ? Number::before : Number::after;
  for (int b = 0; b < bits_ && (scope == Scope::left || !recipe_.decoder); ++b)
    if (of == bit(own, b)) return of;  // there its number is 0
  return graph_.conjunction({of, !sink_of(scope)});
}

ir::Affine ExactConstructions::sum_of(const std::vector<WeightedCount>& counts, const std::string& label) {
  std::vector<ir::Attend::Part> parts;
  ir::AffineSum here, at_first, at_last;
  for (const Scope scope : {Scope::left, Scope::right, Scope::all}) {
    ir::AffineSum sum;
    for (const WeightedCount& count : counts) {
      if (count.scope != scope) continue;
      const auto coefficient = static_cast<double>(count.coefficient);
      sum.add(elsewhere(scope, count.of), coefficient);
      (scope == Scope::left ? at_first : at_last).add(count.of, coefficient);
    }
    const ir::Affine value = sum.take();
    if (value.is_constant()) continue;
    for (int t = 0; t < bits_; ++t) {
      const int outside = std::min(t, kLargestFactor);
      parts.push_back({block(scope, t, 0), std::exp2(t - outside) * value, std::exp2(outside)});
    }
    if (scope != Scope::all) here.add(value);
  }
  const ir::Affine first_value = at_first.take(), last_value = at_last.take();
  if (first_value != ir::Affine()) parts.push_back({at_end(Scope::left), first_value, 1});
  if (last_value != ir::Affine()) parts.push_back({at_end(Scope::right), last_value, 1});
  const ir::Affine own = here.take();
  if (parts.empty()) return own;  // all cancels out
  const ir::NodeId others = graph_.add(ir::Attend(std::move(parts)), "sum in " + label);
  const Scope scope = counts.front().scope;
  if (std::all_of(counts.begin(), counts.end(), [&](const WeightedCount& count) { return count.scope == scope; }))
    counts_[others.index] = {scope, own};
  return own + others;
}

}  // namespace quench::lower
